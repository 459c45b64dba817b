package fw

import "github.com/fwgen/fwgen/runtime/internal/presence"

// announcer makes what announces this process. It needs to know which streams are excluded.
func (a *App) announcer() *presence.Announcer {
	return presence.New(presence.Config{
		Store: a.state.Instances(), Process: a.process(), Log: a.config.Logger,
	})
}

// process is what this process says of itself.
func (a *App) process() presence.Process {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := presence.Process{Instance: a.instance.stored(), Version: presence.Built()}
	for _, d := range a.streams {
		switch {
		case d.excluded:
			p.Excluded = append(p.Excluded, d.Name)
		case d.Disabled:
			p.Disabled = append(p.Disabled, d.Name)
		default:
			p.Streams = append(p.Streams, presence.Stream{Name: d.Name, Mode: string(d.Mode)})
		}
	}
	return p
}
