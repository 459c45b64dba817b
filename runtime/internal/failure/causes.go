package failure

import "errors"

// The causes with which contexts of handlers end, and what a lost position is. They are documented
// where they are exported, in package fw.
var (
	ErrLeaseLost   = errors.New("the lease of the stream is lost")
	ErrFenced      = errors.New("a higher term has taken the stream over")
	ErrStopping    = errors.New("the application stops")
	ErrTimeout     = errors.New("the attempt took longer than the stream's timeout")
	ErrHistoryLost = errors.New("the position is no longer in the oplog")
)
