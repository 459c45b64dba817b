package presence

import "runtime/debug"

// Version says what a process was built from, as Go names versions. "" is unknown.
type Version struct {
	Main  string // of the program's module
	Fwgen string // of the runtime
}

// module is where the runtime comes from.
const module = "github.com/fwgen/fwgen"

// Built returns the versions of this process.
func Built() Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version{}
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) Version {
	v := Version{Main: info.Main.Version}
	if info.Main.Path == module {
		v.Fwgen = info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			v.Fwgen = dep.Version
			if dep.Replace != nil {
				v.Fwgen = dep.Replace.Version // "" where a directory takes its place
			}
		}
	}
	return v
}
