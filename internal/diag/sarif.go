package diag

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// The parts of a SARIF 2.1.0 log that fwgen fills. Their names are the standard's.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
		Help             sarifMessage `json:"help"`
		HelpURI          string       `json:"helpUri"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifMessage    `json:"message"`
		Locations        []sarifLocation `json:"locations"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		ID       *int          `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int           `json:"startLine"`
		StartColumn int           `json:"startColumn,omitempty"`
		EndColumn   int           `json:"endColumn,omitempty"`
		Snippet     *sarifMessage `json:"snippet,omitempty"`
	}
)

// repository is where the project is found.
const repository = "https://github.com/fwgen/fwgen"

// SARIF prints the problems as a SARIF 2.1.0 log, with every code as a rule. File names are
// relative to Dir, which has to be the root of the checked-out repository.
func (r Renderer) SARIF(w io.Writer, list *List) error {
	driver := sarifDriver{Name: "fwgen", InformationURI: repository}
	index := map[Code]int{}
	for i, e := range Catalog() {
		index[e.Code] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID:               e.Code.String(),
			ShortDescription: sarifMessage{e.Title},
			Help:             sarifMessage{Explain(e.Code).Doc},
			HelpURI: repository + "/blob/main/docs/diagnostics.md#" +
				strings.ToLower(e.Code.String()),
		})
	}
	results := []sarifResult{}
	for _, d := range list.Sorted() {
		result := sarifResult{
			RuleID: d.Code.String(), RuleIndex: index[d.Code], Level: "error",
			Message:   sarifMessage{r.plain(Diagnostic{Message: d.Message, Hint: d.Hint, Notes: d.Notes})},
			Locations: []sarifLocation{{Physical: r.physical(d.Pos)}},
		}
		for i, rel := range d.Related {
			result.RelatedLocations = append(result.RelatedLocations, sarifLocation{
				ID: &i, Physical: r.physical(rel.Pos), Message: &sarifMessage{clean(rel.Message)},
			})
		}
		results = append(results, result)
	}
	return WriteJSON(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{driver}, ColumnKind: "utf16CodeUnits", Results: results,
		}},
	})
}

func (r Renderer) physical(p Pos) sarifPhysical {
	out := sarifPhysical{Artifact: r.artifact(p.File)}
	if p.Line > 0 {
		out.Region = &sarifRegion{StartLine: p.Line}
		out.Region.StartColumn, out.Region.EndColumn = r.characters(p)
		if line, ok := r.line(p); ok {
			out.Region.Snippet = &sarifMessage{line}
		}
	}
	return out
}

// artifact is a file below Dir by its relative name, any other by its absolute one.
func (r Renderer) artifact(file string) sarifArtifact {
	name := r.Relative(file)
	if filepath.IsAbs(file) && (name == ".." || strings.HasPrefix(name, "../") || filepath.IsAbs(name)) {
		slashed := filepath.ToSlash(file)
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed // a drive
		}
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: slashed}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: name}).EscapedPath(), URIBaseID: "%SRCROOT%"}
}
