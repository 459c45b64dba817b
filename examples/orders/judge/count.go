package judge

import (
	"fmt"
	"strings"

	"github.com/fwgen/fwgen/examples/orders/account"
)

// Count is a line of the judgement.
type Count struct {
	What, Want, Got string
	OK              bool
	Which           []string // was counted; told where the count is wrong
}

func exactly(what string, want, got any) Count {
	w, g := fmt.Sprint(want), fmt.Sprint(got)
	return Count{What: what, Want: w, Got: g, OK: w == g}
}

func atMost(what string, limit, got int) Count {
	return Count{What: what, Want: fmt.Sprintf("0–%d", limit), Got: fmt.Sprint(got),
		OK: got <= limit}
}

func none(what string, which []string) Count {
	c := exactly(what, 0, len(which))
	c.Which = which
	return c
}

// Tell prints the table of counts, and returns an error that names those that are wrong.
func Tell(a *account.Account, counts []Count) error {
	a.Headline("What came of it")
	a.Print("  %-52s %10s %10s", "", "expected", "counted")
	var wrong []string
	for _, c := range counts {
		mark := ""
		if !c.OK {
			mark = "  WRONG"
			wrong = append(wrong, c.What)
		}
		a.Print("  %-52s %10s %10s%s", c.What, c.Want, c.Got, mark)
		if !c.OK && len(c.Which) > 0 {
			a.Print("    %s", strings.Join(c.Which, "; "))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("wrong: %s", strings.Join(wrong, "; "))
	}
	return nil
}
