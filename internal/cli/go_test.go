package cli

import "os/exec"

// goOutput is what the go command prints.
func goOutput(args ...string) string {
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		panic(err)
	}
	return string(out)
}
