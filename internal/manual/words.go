package manual

import (
	"strings"

	"github.com/fwgen/fwgen/internal/spec"
)

// kinds are what values are called.
var kinds = map[spec.Kind]string{
	spec.Flag:       "none; the key alone",
	spec.Bool:       "true or false",
	spec.Int:        "a whole number",
	spec.Factor:     "a number, such as 1.5",
	spec.Percent:    "a percentage, such as 20%",
	spec.Duration:   "a duration, such as 500ms, 1m30s or 30d",
	spec.Enum:       "one of",
	spec.Text:       "any text; quoted, if it has spaces",
	spec.Stream:     "the name of a stream",
	spec.Collection: "the name of a collection",
	spec.Database:   "the name of a database",
	spec.Type:       "a type: Order or models.Order",
	spec.Error:      "an error value or type: ErrX, pkg.ErrX or *TypeName",
	spec.Instant:    "an RFC 3339 time, or one of",
	spec.Path:       "the path of a field: customer.id",
}

// kind says what an option takes.
func kind(o *spec.Option) string {
	text := kinds[o.Kind]
	switch {
	case o.Kind == spec.Enum && o.List:
		text = "some of, with commas"
	case o.List && o.Kind == spec.Collection && len(o.Words()) < len(o.Values):
		text += ", or several with commas (" + notYet + ")" // the same engine as for "*"
	case o.List:
		text += ", or several with commas"
	}
	if o.Bare {
		text += ", or none"
	}
	return text
}

// bounds says what an option's numbers are limited to, or nothing.
func bounds(o *spec.Option) string {
	switch {
	case o.Min != "" && o.Max != "":
		return o.Min + " to " + o.Max
	case o.Min != "":
		return "at least " + o.Min
	case o.Positive:
		return "more than 0"
	default:
		return ""
	}
}

// standard says what holds without the option.
func standard(o *spec.Option) string {
	switch {
	case o.Required:
		return "required"
	case o.Default != "":
		return o.Default
	default:
		return ""
	}
}

// notYet marks what is refused so far.
const notYet = "not available yet"

// written is how an option is written in a directive.
func written(v *spec.Verb, o *spec.Option) string {
	head := "//fw:" + v.Name + " "
	value := "VALUE"
	if o.List {
		value = "VALUE,…"
	}
	switch {
	case o == v.Arg && o.Bare:
		return head + "[" + value + "]"
	case o == v.Arg:
		return head + value
	case o.Kind == spec.Flag:
		return head + o.Name
	case o.Bare:
		return head + o.Name + "[=" + value + "]"
	default:
		return head + o.Name + "=" + value
	}
}

// where says what a verb is written on.
func where(v *spec.Verb) string {
	if v.Target == spec.OnMethod {
		return "above a method of a handler"
	}
	return "above the handler's struct"
}

// prose joins the lines of a text of the table.
func prose(text string) string { return strings.Join(strings.Fields(text), " ") }
