package diag

import (
	"encoding/json"
	"io"
)

// place is a position as machines read it. Columns are bytes counted from 1, as in the text; EndCol
// is the one behind the range. What is not known is left out.
type place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Col    int    `json:"col,omitempty"`
	EndCol int    `json:"endCol,omitempty"`
}

type jsonRelated struct {
	place
	Message string `json:"message"`
}

type jsonProblem struct {
	Code string `json:"code"`
	place
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
	Notes   []string      `json:"notes,omitempty"`
	Related []jsonRelated `json:"related,omitempty"`
}

// JSON prints the problems as one object, in order of their positions.
func (r Renderer) JSON(w io.Writer, list *List) error {
	problems := []jsonProblem{}
	for _, d := range list.Sorted() {
		p := jsonProblem{
			Code: d.Code.String(), place: r.place(d.Pos),
			Message: d.Message, Hint: d.Hint, Notes: d.Notes,
		}
		for _, rel := range d.Related {
			p.Related = append(p.Related, jsonRelated{r.place(rel.Pos), rel.Message})
		}
		problems = append(problems, p)
	}
	return WriteJSON(w, map[string]any{"problems": problems})
}

func (r Renderer) place(p Pos) place {
	out := place{File: r.Relative(p.File), Line: p.Line, Col: p.Col}
	if p.Col > 0 && p.Len > 0 {
		out.EndCol = p.Col + p.Len
	}
	return out
}

// WriteJSON writes a value the way that people can read it, too.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
