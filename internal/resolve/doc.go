// Package resolve turns directives and types into the model of a package, or into problems.
//
// Each handler is resolved on its own: the type that carries the directives (handler.go), the
// settings and what contradicts itself in them (settings.go, policies.go), the errors they name
// (reference.go), and the methods: which there are (methods.go), what each is for (roles.go),
// whether its signature is one the generated code can call (signature.go) and which document it
// shows (document.go). Streams that share a name are found at the end, over all packages of a run
// (streams.go).
//
// A method that is nearly a handler method is a problem, because the alternative is one that is
// never called.
package resolve
