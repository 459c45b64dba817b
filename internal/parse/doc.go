// Package parse reads directives from a file's comments.
//
// Every comment of a file is looked at, not only the doc comments of declarations, since nothing
// may be ignored: a comment that is nearly a directive, a directive that stands apart from its
// declaration, behind code or on something that cannot have one is a problem with a position.
//
// The grammar of a directive is
//
//	//fw:VERB { KEY | KEY=VALUE }     on a struct
//	//fw:VERB [VALUE]                 on a method
//	VALUE = bare word | "Go string" | `raw string` | VALUE,VALUE…
//
// with arguments separated by spaces or tabs. The verbs and keys are those of package spec.
//
// Three steps follow each other: a comment is recognised (scan.go), cut into arguments (lex.go)
// and checked against the table (check.go). Which declaration it belongs to is found independently
// (owner.go), and [Read] brings both together.
package parse
