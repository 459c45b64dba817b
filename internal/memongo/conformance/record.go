package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Record plays the recordings against a server and writes its answers into their files in dir,
// the folder recorded, wherever they differ from what stands there. It is for a real server.
func Record(t *testing.T, s Server, dir string) {
	t.Helper()
	r := &run{server: s, client: s.Client(t), bare: s.Client(t)}
	for _, file := range recordingFiles() {
		t.Run(strings.TrimSuffix(file.name, ".txt"), func(t *testing.T) {
			path := filepath.Join(dir, file.name)
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			heard := map[string][][]string{}
			for _, recording := range file.recordings {
				t.Run(recording.name, func(t *testing.T) {
					heard[recording.name] = r.hear(t, recording)
				})
			}
			if text := rewrite(string(old), heard); text != string(old) {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// hear plays a recording and returns the answer to each turn: the recorded one where that holds.
// It returns nothing where the recording cannot be played to its end.
func (r *run) hear(t *testing.T, recording recording) (answers [][]string) {
	s := r.server
	chosen := s.Only == (Features{}) || s.Only.overlap(recording.needs)
	if lacking := s.Has.lack(recording.needs); !chosen || lacking != "" {
		t.Skipf("%s lacks %q, or this is not asked for", s.Name, lacking)
	}
	p := recording.newPlayer(r.newC(t, t))
	defer p.tidy(recording.uses)
	for _, turn := range recording.turns {
		got := p.play(turn)
		if turn.answersAsWanted(got) {
			got = turn.want
		}
		answers = append(answers, got)
		t.Logf("%s\n  %s", turn.source, strings.Join(got, "\n  "))
	}
	return answers
}

// rewrite puts answers into the text of a file.
func rewrite(text string, heard map[string][][]string) string {
	var lines []string
	var answers [][]string
	heardOf := false
	for _, line := range strings.Split(text, "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			answers, heardOf = heard[name]
		}
		if strings.HasPrefix(line, "  ") && heardOf {
			continue
		}
		lines = append(lines, line)
		if isTurn(line) && len(answers) > 0 {
			for _, answer := range answers[0] {
				lines = append(lines, "  "+answer)
			}
			answers = answers[1:]
		}
	}
	return strings.Join(lines, "\n")
}

func isTurn(line string) bool {
	r := recording{}
	return line != "" && line[0] != ' ' && line[0] != '#' && line[0] != '=' &&
		r.directive(line) == nil && len(r.turns) == 1
}
