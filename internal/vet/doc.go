// Package vet makes fwgen an analysis tool for go vet and go fix:
//
//	go vet -vettool=$(go tool -n fwgen) ./...
//	go fix -fixtool=$(go tool -n fwgen) ./...
//
// Both commands run the tool once for every package that compiles, and hand it the package's files
// and the types of what they import. The analyzer reads directives and methods with the very code
// that fwgen uses, so it reports what "fwgen check" reports about the source. What it cannot see is
// what lies outside one package: whether generated files are up to date, and whether streams of two
// packages have the same name.
//
// A problem with one certain correction carries it as a suggested fix, which go fix applies.
package vet
