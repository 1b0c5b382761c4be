package deployment_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// canaryForms are the forms in which a value may show.
func canaryForms(value string) map[string][]byte {
	var escaped, numbered []byte
	for _, r := range value {
		escaped = fmt.Appendf(escaped, `\u%04x`, r)
		numbered = fmt.Appendf(numbered, "&#%d;", r)
	}
	quoted, _ := json.Marshal(value)
	python := strings.NewReplacer(`\u00e9`, `\xe9`, `\"`, `"`).Replace(strconv.QuoteToASCII(value))
	forms := map[string][]byte{
		"raw": []byte(value), "JSON": quoted[1 : len(quoted)-1], `\u`: escaped, "repr": []byte(strings.Trim(python, `"`)),
		"query": []byte(url.QueryEscape(value)), "path": []byte(url.PathEscape(value)),
		"HTML": []byte(html.EscapeString(value)), "HTML by number": numbered,
	}
	for before := range 3 { // The letters that depend on nothing around the value.
		letters := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + value))
		forms["base64 after "+strconv.Itoa(before)] = []byte(letters[(before*8+5)/6 : (before+len(value))*8/6])
	}
	return forms
}

// noneOf expects none of the values in any of their forms.
func noneOf(where string, content []byte, canaries ...string) error {
	for _, canary := range canaries {
		for form, canary := range canaryForms(canary) {
			if i := bytes.Index(content, canary); i >= 0 {
				return fmt.Errorf("%s holds a value, %s: …%s…", where, form, content[max(0, i-200):i+len(canary)])
			}
		}
	}
	return nil
}

// faultEchoingAll refuses a change and quotes a value in every form, and in base64 within an address.
func faultEchoingAll(value string) devserver.Fault {
	fault := faultEchoing(value)
	for name, form := range canaryForms(value) {
		fault.Detail += fmt.Sprintf("; %s: %s", name, form)
	}
	fault.Detail += "; both: " + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(value+"?")))
	return fault
}
