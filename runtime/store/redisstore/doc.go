// Package redisstore keeps the leases of streams in Redis:
//
//	client := redis.NewClient(&redis.Options{Addr: "redis:6379", ContextTimeoutEnabled: true})
//	app, err := fw.New(fw.Config{Client: mongo, Database: "shop",
//		Leases: redisstore.New(client, "shop")})
//
// Positions and dead letters stay in MongoDB. It is a module of its own, so that only those who
// import it depend on a client of Redis. It needs Redis 6 or later, or what speaks like it.
//
// # Promises
//
//   - Each call is one script on one key, which Redis runs alone: no interleaving lies between a
//     condition and its effect, and each key may be on any node of a cluster.
//   - The clock is the server's (TIME), asked by the script that acts on it.
//   - A term is counted in whole numbers of 64 bits, by the server, and is never below what the
//     caller asks for. Keys have no expiry of their own, because the term in them must survive.
//   - Every call ends by the deadline of its context, or after 10 s where that has none, whatever
//     the client is set to. One that was abandoned goes on in the background until the client's own
//     time-outs end it, unless the client has ContextTimeoutEnabled. Its outcome is unknown.
//   - The scripts tell of every change that they make, on the channel <prefix>:leases. A watch
//     breaks rather than miss something: when its connection is lost, or has been silent for 15 s.
//
// # What Redis does not give
//
// A lease in Redis can be lost or given twice, where one on a majority of MongoDB can't:
//
//   - Replication is asynchronous. A replica that is promoted may not have the last grant or
//     renewal, and then grants the lease again, though its owner still trusts it. For up to one ttl
//     two instances may handle at once.
//   - What is not on disk is lost by a restart. Without appendonly yes that is every lease, with
//     appendfsync everysec the last second of them.
//   - Under a maxmemory-policy of allkeys-* a lease may be evicted as if it never was.
//   - The clock of a promoted replica is another one.
//
// What holds regardless: positions and dead letters in MongoDB are fenced by the term. When a lease
// that was lost counts again from where it was, or from 1, whoever acquires it finds a term of the
// position that is not below its own, asks for one above that, and gets it. A leader of an older
// term is refused when it writes. Effects outside of MongoDB are fenced only where the handler
// passes on its term.
//
// # Stored
//
// One hash per stream, <prefix>:lease:<stream>: owner (empty: nobody), term, acquiredAt,
// heartbeatAt, expiresAt, ttlMs, priority, instance, released and releasedAt, holdBy, holdReason,
// holdAt and holdUntil (0: until it is lifted), contenderOwner, contenderPriority,
// contenderExpiresAt and contenderInstance. Instants are milliseconds since 1970, instances JSON.
package redisstore
