package providertest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
)

// SecretForms returns the forms in which a value may appear, by name.
func SecretForms(value string) map[string][]byte {
	var escaped, numbered []byte
	for _, r := range value {
		escaped = fmt.Appendf(escaped, `\u%04x`, r)
		numbered = fmt.Appendf(numbered, "&#%d;", r)
	}
	quoted, _ := json.Marshal(value)
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // Like above, a text can be encoded.
	python := strings.NewReplacer(`\u00e9`, `\xe9`, `\"`, `"`).Replace(strconv.QuoteToASCII(value))
	forms := map[string][]byte{
		"raw": []byte(value), "JSON": quoted[1 : len(quoted)-1],
		"JSON with HTML": bytes.Trim(plain.Bytes(), "\"\n"), `\u`: escaped, "repr": []byte(strings.Trim(python, `"`)),
		"query": []byte(url.QueryEscape(value)), "path": []byte(url.PathEscape(value)),
		"HTML": []byte(html.EscapeString(value)), "HTML by number": numbered,
	}
	for before := range 3 { // The characters that don't depend on what surrounds the value.
		letters := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + value))
		forms["base64 after "+strconv.Itoa(before)] = []byte(letters[(before*8+5)/6 : (before+len(value))*8/6])
	}
	return forms
}

// NoneShown returns an error if content contains one of the secrets in any form.
func NoneShown(where string, content []byte, secrets ...string) error {
	for _, secret := range secrets {
		for name, form := range SecretForms(secret) {
			if i := bytes.Index(content, form); i >= 0 {
				return fmt.Errorf("%s shows a secret, %s: …%s…", where, name, content[max(0, i-200):i+len(form)])
			}
		}
	}
	return nil
}

// EchoOf returns a message of a service that quotes a value in every form, and in base64 inside a URL.
func EchoOf(value string) string {
	var b strings.Builder
	for name, form := range SecretForms(value) {
		fmt.Fprintf(&b, "%s: %s; ", name, form)
	}
	return b.String() + "both: " + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(value+"?")))
}

// PrivateState returns the resources' private states in a state file.
func PrivateState(state []byte) ([]byte, error) {
	var file struct {
		Resources []struct {
			Instances []struct {
				Private string `json:"private"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(state, &file); err != nil {
		return nil, err
	}
	var parts []byte
	for _, r := range file.Resources {
		for _, instance := range r.Instances {
			wrapped, err := base64.StdEncoding.DecodeString(instance.Private)
			if err != nil {
				return nil, err
			}
			if len(wrapped) == 0 {
				continue // Not every resource has one.
			}
			var keys map[string][]byte
			if err := json.Unmarshal(wrapped, &keys); err != nil {
				return nil, err
			}
			for _, value := range keys {
				parts = append(parts, value...)
			}
		}
	}
	return parts, nil
}
