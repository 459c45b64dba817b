package diag

import "strings"

// Nearest returns the candidate that is most like name, or "" where none is near enough to be what
// was meant, or which it is a part of. Case and the difference between "-" and "_" count little, so that single-leader finds
// single_leader.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", limit(name)+1
	for _, c := range candidates {
		if d := Distance(fold(name), fold(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" && len(name) >= 4 {
		return containing(fold(name), candidates)
	}
	return best
}

// containing returns the only candidate that a name is a part of: leader of single_leader.
func containing(part string, candidates []string) (found string) {
	for _, c := range candidates {
		switch {
		case !strings.Contains(fold(c), part):
		case found != "":
			return ""
		default:
			found = c
		}
	}
	return found
}

// limit is how many edits may lie between a name and a suggestion for it.
func limit(name string) int {
	switch n := len(name); {
	case n <= 3:
		return 1
	case n <= 7:
		return 2
	default:
		return 3
	}
}

func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// Distance is the number of insertions, deletions, replacements and swaps of neighbours that turn
// one string into another (optimal string alignment, over bytes).
func Distance(a, b string) int {
	before, previous := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(previous[j+1]+1, row[j]+1, previous[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, previous = previous, row
	}
	return previous[len(b)]
}
