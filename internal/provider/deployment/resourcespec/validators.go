package resourcespec

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Validators of single values. They refuse what the service is known to refuse, so that the plan can name the attribute.

// identifierValidator accepts names of variables of init containers and sidecars, for which the service has stricter rules.
func identifierValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
		"must be the name of an environment variable: letters, digits and underscores, not starting with a digit")
}

const labelName = `([A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)`

func labelKeyValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?`+labelName+`$`),
		"must be a Kubernetes key: at most 63 letters, digits, dashes, dots and underscores, starting and ending with a "+
			"letter or digit, with an optional prefix of a DNS name and a slash")
}

func labelValueValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^`+labelName+`?$`),
		"must be the value of a Kubernetes label: empty, or at most 63 letters, digits, dashes, dots and underscores, "+
			"starting and ending with a letter or digit")
}

func quantityValidator() validator.String {
	return framework.Check{Wanted: "a Kubernetes quantity, such as 250m or 512Mi", Problem: func(value string) error {
		_, err := parseQuantity(value)
		return err
	}}
}

func mountPathValidator() validator.String {
	return framework.Check{Wanted: "an absolute path, such as /data", Problem: func(value string) error {
		switch {
		case !strings.HasPrefix(value, "/"):
			return errors.New("it doesn't start with a slash")
		case strings.Contains(value, ":"):
			return errors.New("it contains a colon")
		}
		return nil
	}}
}

func subPathValidator() validator.String {
	return framework.Check{Wanted: "a relative path within the volume", Problem: func(value string) error {
		switch {
		case strings.HasPrefix(value, "/"):
			return errors.New("it starts with a slash")
		case slices.Contains(strings.Split(value, "/"), ".."):
			return errors.New(`it leaves the volume with ".."`)
		}
		return nil
	}}
}

func jsonObjectValidator() validator.String {
	return framework.Check{Wanted: "the JSON of an object (use jsonencode)", Problem: func(value string) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(value), &object); err != nil {
			return fmt.Errorf("it is not: %w", err)
		}
		if object == nil {
			return errors.New("it is null")
		}
		return nil
	}}
}

// quantityForm is the syntax of Kubernetes quantities: a decimal number with a suffix or an exponent.
var quantityForm = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]{1,2})?$`)

var quantityUnits = map[string]string{
	"": "1", "n": "1e-9", "u": "1e-6", "m": "1e-3", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776", "Pi": "1125899906842624", "Ei": "1152921504606846976",
}

// parseQuantity returns the exact value of a Kubernetes quantity.
func parseQuantity(text string) (*big.Rat, error) {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, errors.New(`it is not a number with a unit such as "m", "Mi" or "Gi"`)
	}
	unit, known := quantityUnits[parts[2]]
	if !known {
		unit = "1" + strings.ToLower(parts[2])
	}
	amount, _ := new(big.Rat).SetString(parts[1])
	factor, _ := new(big.Rat).SetString(unit)
	return amount.Mul(amount, factor), nil
}
