package resolve

import (
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// role is what a method is for.
type role int

// The roles. The first five handle operations, by the names of which //fw:on calls them.
const (
	onInsert role = iota
	onUpdate
	onReplace
	onDelete
	onChange
	onError
	isFilter
	isPipeline
)

// roleNames are the names that give a method its role, in the order of the roles.
var roleNames = []string{
	"OnInsert", "OnUpdate", "OnReplace", "OnDelete", "OnChange", "OnError", "Filter", "Pipeline",
}

func (r role) String() string { return roleNames[r] }

// operations tells whether the role handles an operation.
func (r role) operation() bool { return r <= onChange }

// takesDocument tells whether the role's method may take the document beside the event.
func (r role) takesDocument() bool { return r <= onReplace }

// word is how messages call the role.
func (r role) word() string {
	switch {
	case r.operation():
		return strings.ToLower(strings.TrimPrefix(r.String(), "On"))
	case r == onError:
		return "error"
	default:
		return strings.ToLower(r.String())
	}
}

// nameRole is the role that a method's name gives it.
func nameRole(name string) (role, bool) {
	for i, n := range roleNames {
		if n == name {
			return role(i), true
		}
	}
	return 0, false
}

// assigned are the roles of a method: those of its directives, else that of its name. What name and
// directive say must agree, so that a reader can trust either.
func (h *handler) assigned(c *candidate) []role {
	byName, named := nameRole(c.fn.Name())
	directives := c.directives()
	if len(directives) == 0 {
		if named {
			return []role{byName}
		}
		return nil
	}
	if len(directives) > 1 {
		d := directives[1]
		h.Problems.Add(diag.New(diag.RoleMismatch, d.Pos, "%s has two directives", c.fn.Name()).
			Hinted("a method is for one thing").With(directives[0].Pos, "the first is here"))
		return nil
	}
	d := directives[0]
	roles := directiveRoles(d)
	if named && len(roles) > 0 && !hasRole(roles, byName) {
		h.Problems.Add(diag.New(diag.RoleMismatch, d.Pos, "%s does not mention what the name %s says",
			"//fw:"+d.Verb.Name, c.fn.Name()).
			Hinted("rename the method or change the directive"))
		return nil
	}
	return roles
}

func hasRole(roles []role, r role) bool {
	for _, have := range roles {
		if have == r {
			return true
		}
	}
	return false
}

func directiveRoles(d *parse.Directive) []role {
	switch d.Verb.Name {
	case "filter":
		return []role{isFilter}
	case "pipeline":
		return []role{isPipeline}
	case "onerror":
		return []role{onError}
	case "on":
		var roles []role
		for _, arg := range d.Args {
			for _, v := range arg.Values {
				if r, ok := nameRole("On" + strings.ToUpper(v.Text[:1]) + v.Text[1:]); ok {
					roles = append(roles, r)
				}
			}
		}
		return roles
	}
	return nil // ignore
}
