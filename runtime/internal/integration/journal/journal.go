// Package journal records what handlers of several processes did, in one order, and judges it.
//
// Processes append to one file, each entry with one write: the order of the lines is the order of
// the effects, and an entry that was written survives the process.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

// Entry is one attempt of an event: one that had its effect, unless it failed.
type Entry struct {
	At       time.Time
	Instance string
	PID      int
	Stream   string
	Term     int64
	Attempt  int
	Event    string
	Key      string
	Seq      int

	// From Begun to Ended the handler ran, by the clock of [Now].
	Begun, Ended time.Duration
	Failed       bool `json:",omitempty"`
	Stale        bool `json:",omitempty"` // failed because a greater term has had an effect
}

// Incarnation is one leadership in one process.
type Incarnation struct {
	PID  int
	Term int64
}

// Incarnation returns who had the effect.
func (e Entry) Incarnation() Incarnation { return Incarnation{e.PID, e.Term} }

// Journal is open for appending. It is safe for concurrent use, also by several processes.
type Journal struct{ file *os.File }

// Open opens a journal, which is made if there is none.
func Open(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Journal{file}, nil
}

// Append adds an entry, with the time and the process of now. Now is when it ended.
func (j *Journal) Append(e Entry) error {
	e.At, e.Ended, e.PID = time.Now(), Now(), os.Getpid()
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Read returns all effects, in their order: the entries that did not fail.
func Read(path string) ([]Entry, error) {
	entries, err := Attempts(path)
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Failed }), err
}

// Attempts returns all entries, in their order. A journal that does not exist yet is empty. An
// entry that is being written is not there yet: a file may be seen before its last write is whole.
func Attempts(path string) ([]Entry, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	var entries []Entry
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read journal: line %d: %w", len(entries)+1, err)
		}
		entries = append(entries, e)
	}
	return entries, lines.Err()
}
