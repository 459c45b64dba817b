// Package gen turns the model of a package into the file that fwgen writes.
//
// The bytes depend on the model alone: no version, time or path, and no map is ever walked. Import
// names are chosen here (names.go), since a user's package may declare anything under any name;
// the sections of the file are built by package templates.
package gen
