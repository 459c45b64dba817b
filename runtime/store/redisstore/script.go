package redisstore

import (
	"embed"

	"github.com/redis/go-redis/v9"
)

//go:embed lua
var lua embed.FS

// scripts are what the server runs, one for each method.
type scripts struct {
	acquire, renew, release, withdraw, look, hold, lift *redis.Script
}

// load makes the scripts. Each begins with the part that all have.
func load() scripts {
	script := func(name string) *redis.Script {
		return redis.NewScript(source("lease") + source(name))
	}
	return scripts{
		acquire: script("acquire"), renew: script("renew"), release: script("release"),
		withdraw: script("withdraw"), look: script("look"), hold: script("hold"),
		lift: script("lift"),
	}
}

func source(name string) string {
	text, err := lua.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // it is part of the binary
	}
	return string(text)
}
