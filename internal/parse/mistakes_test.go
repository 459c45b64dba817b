package parse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// mistake is a wrong directive with what has to be said about it.
type mistake struct {
	kind    string
	comment string
	code    diag.Code
	marked  string // the last occurrence of this text is underlined
	says    string
	// onMethod says that the directive is above a method.
	onMethod bool
}

// TestAMistakeInEveryOption makes every mistake in every option of the table, so that a new option
// has good messages or fails here.
func TestAMistakeInEveryOption(t *testing.T) {
	t.Parallel()
	count := 0
	for _, v := range spec.Verbs {
		for _, m := range verbMistakes(v) {
			count++
			m.check(t, v.Name)
		}
		for _, o := range v.Keys {
			for _, m := range mistakes(v, o) {
				count++
				m.check(t, v.Name+"."+o.Name)
			}
		}
	}
	if count < 500 {
		t.Errorf("only %d mistakes were made", count)
	}
}

func (m mistake) check(t *testing.T, option string) {
	t.Helper()
	src := m.comment + onStruct
	switch {
	case m.onMethod:
		src = m.comment + "\nfunc (h *H) Method() {}\n"
	case !strings.HasPrefix(src, "//fw:changestream "):
		src = m.comment + "\n//fw:changestream collection=orders" + onStruct
	}
	_, list := read(t, src)
	if list.Len() != 1 {
		t.Errorf("%s, %s: %s: %d problems: %v", option, m.kind, m.comment, list.Len(), list.Sorted())
		return
	}
	d := list.Sorted()[0]
	at := strings.LastIndex(m.comment, m.marked)
	if d.Code != m.code || d.Pos.Line != 3 || d.Pos.Col != at+1 || d.Pos.Len != len(m.marked) {
		t.Errorf("%s, %s: %s: %v at %d+%d, want %v at %d+%d: %s", option, m.kind, m.comment,
			d.Code, d.Pos.Col, d.Pos.Len, m.code, at+1, len(m.marked), d.Message)
	}
	said := strings.Join(append([]string{d.Message, d.Hint}, d.Notes...), "\n")
	if !strings.Contains(said, m.says) {
		t.Errorf("%s, %s: %s: %q is missing in\n%s", option, m.kind, m.comment, m.says, said)
	}
}

func made(kind, comment string, code diag.Code, marked, says string) mistake {
	return mistake{kind: kind, comment: comment, code: code, marked: marked, says: says}
}

// verbMistakes misspell a verb, and misuse what a method's verb takes.
func verbMistakes(v *spec.Verb) []mistake {
	n, method := v.Name, v.Target == spec.OnMethod
	good, rest := "//fw:"+n, ""
	switch {
	case n == "changestream":
		rest = " collection=orders"
	case v.Arg != nil && v.Arg.Required:
		rest = " " + sample(v.Arg)
	}
	list := []mistake{
		made("typo", good+"x"+rest, diag.UnknownVerb, n+"x", "did you mean //fw:"+n+"?"),
		made("capital", "//fw:"+strings.ToUpper(n[:1])+n[1:]+rest, diag.UnknownVerb,
			strings.ToUpper(n[:1])+n[1:], "did you mean //fw:"+n+"?"),
		made("space", "// fw:"+n+rest, diag.NearMiss, "// fw:"+n+rest, "write "+good+rest),
		made("space behind", "//fw: "+n+rest, diag.UnknownVerb, "//fw: "+n+rest, "write "+good),
		made("colon", good+":a", diag.UnknownVerb, n+":a", "write "+good+" and separate"),
	}
	switch {
	case method && v.Arg == nil:
		list = append(list, made("value", good+" x", diag.ValueExpected, "x", "takes no value"))
	case method:
		list = append(list, argumentMistakes(v)...)
	}
	for i := range list {
		list[i].onMethod = method
	}
	return list
}

func argumentMistakes(v *spec.Verb) []mistake {
	good, a := "//fw:"+v.Name+" ", sample(v.Arg)
	list := []mistake{
		made("element twice", good+a+","+a, diag.RepeatedElement, a, "listed twice"),
		made("empty element", good+a+",", diag.BadSyntax, "", "a value is missing"),
		made("two lists", good+a+" b", diag.BadSyntax, "b", "with a comma and no space"),
		made("unclosed quote", good+`"x`, diag.BadSyntax, `"x`, "close it"),
	}
	if v.Arg.Required {
		list = append(list, made("no value", "//fw:"+v.Name, diag.ValueExpected, "//fw:"+v.Name, "needs a value"))
	}
	for _, bad := range badValues(v.Arg) {
		list = append(list, made(bad.kind, good+bad.value, bad.code, bad.value, bad.says))
	}
	return list
}

// line writes a directive of a verb with some arguments.
func line(v *spec.Verb, arguments ...string) string {
	if v.Name == "changestream" && !strings.HasPrefix(arguments[0], "collection") {
		arguments = append([]string{"collection=orders"}, arguments...)
	}
	return "//fw:" + v.Name + " " + strings.Join(arguments, " ")
}

func mistakes(v *spec.Verb, o *spec.Option) []mistake {
	good := o.Name + "=" + sample(o)
	if o.Kind == spec.Flag || o.Bare {
		good = o.Name
	}
	if o.Missing {
		return []mistake{made("not there yet", line(v, good), diag.UnavailableKey, o.Name, "not there yet")}
	}
	list := []mistake{
		made("key twice", line(v, good, good), diag.RepeatedKey, o.Name, "twice"),
		made("unclosed quote", line(v, o.Name+`="x`), diag.BadSyntax, `"x`, `close it with "`),
		made("no value", line(v, o.Name+"="), diag.BadSyntax, "", "a value is missing"),
		made("spaces around =", line(v, o.Name+" = x"), diag.BadSyntax, "=", "no spaces around ="),
		made("colon", line(v, o.Name+":x"), diag.BadSyntax, o.Name+":x", "write "+o.Name+"=x"),
	}
	list = append(list, typos(v, o)...)
	if !o.Bare && o.Kind != spec.Flag {
		list = append(list, made("key alone", line(v, o.Name), diag.ValueExpected, o.Name, o.Name+"="))
	}
	for _, bad := range badValues(o) {
		list = append(list, made(bad.kind, line(v, o.Name+"="+bad.value), bad.code, bad.value, bad.says))
	}
	return slices.DeleteFunc(list, func(m mistake) bool { // without its key it is another mistake
		return o.Required && strings.HasPrefix(m.kind, "typo of the key")
	})
}

// typos misspell a key: a letter too few, one too many, two swapped, capitals.
func typos(v *spec.Verb, o *spec.Option) []mistake {
	n, half := o.Name, len(o.Name)/2
	words := []string{n[:half] + "x" + n[half:], strings.ToUpper(n[:1]) + n[1:]}
	if len(n) > 3 {
		words = append(words, n[:half]+n[half+1:], n[:half-1]+n[half:half+1]+n[half-1:half]+n[half+1:])
	}
	var list []mistake
	for _, w := range words {
		if v.Lookup(w) == nil && w != n {
			list = append(list, made("typo of the key "+w, line(v, w+"="+sample(o)),
				diag.UnknownKey, w, "did you mean "+n+"?"))
		}
	}
	return list
}

type badValue struct {
	kind, value string
	code        diag.Code
	says        string
}

// badValues are what is wrong for an option, by its kind and bounds.
func badValues(o *spec.Option) []badValue {
	list := wrongKinds[o.Kind]
	if !o.List && o.Kind != spec.Flag {
		list = append(slices.Clip(list), badValue{"list", sample(o) + "," + sample(o),
			diag.OneValueOnly, "one value"})
	}
	for _, w := range o.Values {
		if w.Missing {
			list = append(list, badValue{"word not there yet", w.Name, diag.UnavailableValue, "not there yet"})
		} else if len(w.Name) > 3 {
			typo := w.Name[:2] + w.Name[3:]
			list = append(list, badValue{"typo of the value", typo, diag.UnknownValue,
				"did you mean " + w.Name + "?"})
		}
	}
	if o.Min != "" {
		list = append(list, badValue{"too small", below(o), diag.OutOfRange, "at least " + o.Min})
	}
	if o.Max != "" {
		list = append(list, badValue{"too large", above(o.Max), diag.OutOfRange, "at most " + o.Max})
	}
	if o.Positive {
		list = append(list, badValue{"zero", "0s", diag.OutOfRange, "more than 0"},
			badValue{"negative", "-1s", diag.OutOfRange, "more than 0"})
	}
	return list
}

// wrongKinds are values of another kind. Every kind but a flag's has some.
var wrongKinds = map[spec.Kind][]badValue{
	spec.Bool:    {{"word", "yes", diag.WrongKind, "true or false"}},
	spec.Int:     {{"word", "five", diag.WrongKind, "whole number"}, {"fraction", "1.5", diag.WrongKind, "whole number"}},
	spec.Factor:  {{"word", "double", diag.WrongKind, "a number"}},
	spec.Percent: {{"number", "20", diag.WrongKind, "percent sign"}, {"word", "half", diag.WrongKind, "percentage"}},
	spec.Duration: {{"number", "7", diag.WrongKind, "such as 7s"},
		{"unit", "7weeks", diag.WrongKind, "ms, s, m, h or d"}},
	spec.Enum:       {{"word", "zzz", diag.UnknownValue, "valid: "}},
	spec.Text:       {{"control character", `"a\x00"`, diag.BadName, "control character"}},
	spec.Stream:     {{"separator", "a/b", diag.BadName, "cannot contain"}},
	spec.Collection: {{"dollar", "a$b", diag.BadName, "cannot contain a $"}, {"system", "system.x", diag.BadName, "server's own"}},
	spec.Database:   {{"dot", "a.b", diag.BadName, "cannot contain"}, {"system", "admin", diag.BadName, "server does not watch"}},
	spec.Type:       {{"pointer", "*Order", diag.WrongKind, "without the *"}, {"expression", "[]Order", diag.WrongKind, "name of a type"}},
	spec.Error:      {{"expression", "errors.New()", diag.WrongKind, "ErrName, pkg.ErrName, *TypeName"}},
	spec.Instant:    {{"date", "2026-01-02", diag.UnknownValue, "valid: "}, {"word", "zzz", diag.UnknownValue, "valid: "}},
	spec.Path:       {{"empty", `""`, diag.BadName, ""}},
}

// sample is a value that the option accepts.
func sample(o *spec.Option) string {
	switch {
	case o.Default != "":
		return o.Default
	case len(o.Words()) > 0:
		return o.Words()[0]
	case o.Kind == spec.Duration:
		return "5s"
	case o.Kind == spec.Int:
		return "5"
	}
	return "Sample"
}

func below(o *spec.Option) string {
	number := strings.TrimRight(o.Min, "%s")
	unit := o.Min[len(number):]
	switch {
	case number == "0":
		return "-1" + unit
	case strings.HasPrefix(number, "-"):
		return number + "9" + unit
	}
	return "0" + unit
}

func above(text string) string {
	number := strings.TrimRight(text, "%s")
	return fmt.Sprintf("%s9%s", number, text[len(number):])
}

// TestEveryKindHasWrongValues keeps the table above complete.
func TestEveryKindHasWrongValues(t *testing.T) {
	t.Parallel()
	for _, v := range spec.Verbs {
		for _, o := range v.Keys {
			if o.Kind != spec.Flag && len(wrongKinds[o.Kind]) == 0 {
				t.Errorf("%s.%s: there is no wrong value for its kind", v.Name, o.Name)
			}
		}
	}
}
