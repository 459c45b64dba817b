// Package memstore keeps leases, checkpoints and dead letters in memory, for tests.
//
// Its stores keep the same rules as those in MongoDB, checked by the same suites (packages
// leasetest and storetest). They do no input or output, so that they work in a testing/synctest
// bubble, where time.Now is the server's clock. A test decides by a [Fault] what happens to each
// call: that it is slow, that it fails, that its answer is lost or that it is applied after its
// caller has gone.
package memstore
