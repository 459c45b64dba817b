package day

import (
	"bytes"
	"sync"
)

// lockedBuffer keeps what is logged.
type lockedBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
