package letter

import "strings"

// cut is put where text was cut off.
const cut = " … (cut)"

// text returns s as valid UTF-8 of at most limit bytes.
func text(s string, limit int) string {
	if len(s) <= limit {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit-len(cut)], "") + cut
}
