package usage

// chat converts the block of chat completions, whose details are part of its totals. Gateways add the counts of the
// providers behind them: in the details, or beside them under those providers' names.
func (b *providerBlock) chat() Usage {
	u := Usage{
		InputTokens: b.count("prompt_tokens", "input_tokens"), OutputTokens: b.count("completion_tokens", "output_tokens"),
		TotalTokens: b.count("total_tokens"),
	}
	b.inner("prompt_tokens_details", func(d *providerBlock) {
		u.InputTokenDetails = d.details(
			detail{"audio", []string{"audio_tokens"}}, detail{"cache_read", []string{"cached_tokens"}},
			detail{"cache_creation", []string{"cache_write_tokens", "cache_creation_tokens"}})
	})
	u.InputTokenDetails = u.InputTokenDetails.or(b.details(
		detail{"cache_read", []string{"cache_read_input_tokens", "prompt_cache_hit_tokens"}},
		detail{"cache_creation", []string{"cache_creation_input_tokens"}}))
	b.inner("completion_tokens_details", func(d *providerBlock) { u.OutputTokenDetails = d.outputDetails() })
	return u
}

// responses converts the block of the responses format, which counts like chat completions under other names.
func (b *providerBlock) responses() Usage {
	u := Usage{InputTokens: b.count("input_tokens"), OutputTokens: b.count("output_tokens"), TotalTokens: b.count("total_tokens")}
	b.inner("input_tokens_details", func(d *providerBlock) {
		u.InputTokenDetails = d.details(
			detail{"audio", []string{"audio_tokens"}}, detail{"cache_read", []string{"cached_tokens"}},
			detail{"cache_creation", []string{"cache_write_tokens"}})
	})
	b.inner("output_tokens_details", func(d *providerBlock) { u.OutputTokenDetails = d.outputDetails() })
	return u
}

func (b *providerBlock) outputDetails() Counts {
	return b.details(detail{"audio", []string{"audio_tokens"}}, detail{"reasoning", []string{"reasoning_tokens"}})
}

// or adds the details that c doesn't have.
func (c Counts) or(more Counts) Counts {
	for kind, n := range more {
		if _, known := c[kind]; !known {
			whole, _ := n.Int64()
			c = c.with(kind, whole)
		}
	}
	return c
}

// atTier renames the details that a service tier prices differently, and assigns the rest of each side to the tier.
func (u Usage) atTier(tier string) Usage {
	if tier != "priority" && tier != "flex" {
		return u
	}
	u.InputTokenDetails = u.InputTokenDetails.atTier(tier, "cache_read", u.InputTokens)
	u.OutputTokenDetails = u.OutputTokenDetails.atTier(tier, "reasoning", u.OutputTokens)
	return u
}

func (c Counts) atTier(tier, kind string, total *int64) Counts {
	if total == nil {
		return c
	}
	rest := *total
	if part, ok := c[kind]; ok {
		delete(c, kind)
		n, _ := part.Int64()
		if n = min(n, rest); n > 0 {
			c, rest = c.with(tier+"_"+kind, n), rest-n
		}
	}
	if rest == 0 {
		return c
	}
	return c.with(tier, rest)
}
