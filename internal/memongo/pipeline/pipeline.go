package pipeline

import (
	"iter"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Source has the collections that $lookup reads.
type Source interface {
	Collection(db, name string) iter.Seq[bson.D]
}

// Env is where a pipeline runs.
type Env struct {
	Vars   *expr.Vars // for Run; the command's let is known to Compile. nil: nothing is set
	DB     string     // whose collections $lookup reads
	Source Source     // nil where there is no $lookup

	// ChangeStream refuses the stages that are not permitted after $changeStream.
	ChangeStream bool
}

// Pipeline is a list of compiled stages.
type Pipeline struct {
	stages []stage
	vars   *expr.Vars
}

// stage is one step.
type stage interface {
	run(in documents, v *expr.Vars) documents
}

// documents come one by one; an error is the last.
type documents = iter.Seq2[bson.D, error]

// Compile reads stages.
func Compile(stages bson.A, env Env) (*Pipeline, error) {
	p, err := newCompiler(env).pipeline(stages)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// CompileUpdate reads the stages of an update, where only those that map a document to one may
// be. What cannot be worked out for any document fails with the first document, not here.
func CompileUpdate(stages bson.A, let map[string]any) (*Pipeline, error) {
	c := newCompiler(Env{Vars: &expr.Vars{Let: let}})
	c.update = true
	return c.pipeline(stages)
}

// Run passes documents through the stages.
func (p *Pipeline) Run(in iter.Seq[bson.D]) iter.Seq2[bson.D, error] {
	return p.pass(func(yield func(bson.D, error) bool) {
		for doc := range in {
			if !yield(doc, nil) {
				return
			}
		}
	}, p.vars)
}

func (p *Pipeline) pass(in documents, v *expr.Vars) documents {
	for _, s := range p.stages {
		if _, ok := s.(shaper); !ok {
			in = closing(in)
		}
		in = s.run(in, v)
	}
	return closing(in)
}

// Each passes one document through a pipeline of an update or of a change stream; it reports
// false if a stage dropped it. vars need no root.
func (p *Pipeline) Each(doc bson.D, vars *expr.Vars) (bson.D, bool, error) {
	for _, s := range p.stages {
		var (
			keep = true
			err  error
		)
		switch s := s.(type) {
		case shaper:
			doc, err = s(doc, withoutGaps(doc), vars)
		case mapper:
			doc, keep, err = s(withoutGaps(doc), vars)
		default:
			err = mongoerr.Unsupported("a stage of several documents here")
		}
		if err != nil || !keep {
			return nil, false, err
		}
	}
	return withoutGaps(doc), true, nil
}

// MakesDocuments reports whether the pipeline begins with $documents, and so needs no collection.
func (p *Pipeline) MakesDocuments() bool {
	if len(p.stages) == 0 {
		return false
	}
	_, ok := p.stages[0].(source)
	return ok
}

// mapper is a stage that sees one document at a time, and keeps, changes or drops it.
type mapper func(doc bson.D, v *expr.Vars) (bson.D, bool, error)

func (m mapper) run(in documents, v *expr.Vars) documents {
	return func(yield func(bson.D, error) bool) {
		for doc, err := range in {
			keep := true
			if err == nil {
				doc, keep, err = m(doc, v)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if keep && !yield(doc, nil) {
				return
			}
		}
	}
}

// all is a stage that needs all documents before it gives the first.
type all func(docs []bson.D, v *expr.Vars) ([]bson.D, error)

func (a all) run(in documents, v *expr.Vars) documents {
	return func(yield func(bson.D, error) bool) {
		docs, err := collect(in)
		if err == nil {
			docs, err = a(docs, v)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}
}

func collect(in documents) (docs []bson.D, err error) {
	for doc, err := range in {
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}
