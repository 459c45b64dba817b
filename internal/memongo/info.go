package memongo

import (
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// version is what the server claims to be: a 6.0 with the stage that splits large events.
const version = "6.0.27"

func helloCommands() []*command {
	var all []*command
	for _, name := range []string{"hello", "isMaster", "ismaster"} {
		all = append(all, &command{name: name, fields: anyField, run: hello})
	}
	return all
}

func infoCommands() []*command {
	return []*command{
		{name: "ping", run: ping},
		{name: "buildInfo", run: buildInfo},
		{name: "buildinfo", run: buildInfo},
		{name: "connectionStatus", fields: "showPrivileges", run: connectionStatus},
		{name: "serverStatus", fields: anyField, run: serverStatus},
		{name: "getParameter", fields: anyField, traits: adminOnly, run: getParameter},
		{name: "setParameter", fields: anyField, traits: adminOnly, run: setParameter},
	}
}

func ping(*request) (bson.D, error) { return bson.D{}, nil }

func buildInfo(*request) (bson.D, error) {
	return bson.D{
		{Key: "version", Value: version},
		{Key: "gitVersion", Value: "memongo"},
		{Key: "modules", Value: bson.A{}},
		{Key: "versionArray", Value: bson.A{int32(6), int32(0), int32(27), int32(0)}},
		{Key: "bits", Value: int32(64)},
		{Key: "debug", Value: false},
		{Key: "maxBsonObjectSize", Value: int32(maxDocument)},
		{Key: "storageEngines", Value: bson.A{"memongo"}},
	}, nil
}

// connectionStatus says that nobody has authenticated, which nobody can.
func connectionStatus(r *request) (bson.D, error) {
	info := bson.D{
		{Key: "authenticatedUsers", Value: bson.A{}},
		{Key: "authenticatedUserRoles", Value: bson.A{}},
	}
	if r.args.flag("showPrivileges") {
		info = append(info, bson.E{Key: "authenticatedUserPrivileges", Value: bson.A{}})
	}
	return bson.D{{Key: "authInfo", Value: info}}, nil
}

func serverStatus(r *request) (bson.D, error) {
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	s := r.server
	up := s.options.Now().Sub(s.started)
	return bson.D{
		{Key: "host", Value: name},
		{Key: "version", Value: version},
		{Key: "process", Value: "memongo"},
		{Key: "pid", Value: int64(os.Getpid())},
		{Key: "uptime", Value: up.Seconds()},
		{Key: "uptimeMillis", Value: up.Milliseconds()},
		{Key: "localTime", Value: r.now},
	}, nil
}
