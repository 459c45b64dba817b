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

const diffHelp = `
Prints a unified diff, as patch takes it. The exit code is 1 if there is any.
`

const initHelp = `
  fwgen init ./orders.Order

writes orders/order_handler.go with the methods of a handler of Order, to be
filled in, and generates the package. A file that exists is never replaced.
`

const listHelp = `
Prints a line for each stream: its name, collection, mode and operations, the
handler and where it is declared. Packages with problems are left out.
`

const explainHelp = `
  fwgen explain FW1102             what a problem means, with a wrong and a right example
  fwgen explain changestream       a directive and its keys
  fwgen explain changestream.mode  a key: its values, default and range
  fwgen explain mode               the same, of whichever directives have it
  fwgen explain ./orders.Handler   what holds for a handler and where it comes from, who
                                   handles which operation, how long attempts wait, and
                                   the documents that the stream has in MongoDB
  fwgen explain ./orders           all handlers of a package
`
