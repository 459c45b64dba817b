package value

// MissingType is the type of [Missing].
type MissingType struct{}

// Missing stands for a field that is not there.
var Missing MissingType
