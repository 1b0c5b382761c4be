package modelprice

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// priceValidator accepts prices of a token.
func priceValidator() validator.String {
	return framework.Check{Wanted: "a price in US dollars", Problem: func(value string) error {
		price, err := usage.ParseDecimal(value)
		if err == nil && price.Sign() < 0 {
			err = errors.New("a price can't be negative")
		}
		return err
	}}
}

// patternValidator accepts regular expressions that every installation supports.
func patternValidator() validator.String {
	return framework.Check{Wanted: "a regular expression (RE2)", Problem: func(value string) error {
		if value == "" {
			return errors.New(`an empty pattern would match every model; use ".*" for that`)
		}
		if _, err := regexp.Compile(value); err != nil {
			return fmt.Errorf("%w; RE2 supports neither lookaround nor backreferences", err)
		}
		return nil
	}}
}
