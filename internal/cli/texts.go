package cli

// The helps of the commands, below the line that says what each does.

const generateHelp = `
Packages are named as for the go command; the default is ".". A package with a
problem is not written, others are. A file is only written if that changes it.
`

const checkHelp = `
Does all that fwgen does but write, and says of each file that is out of date
what has changed. For continuous integration.
`
