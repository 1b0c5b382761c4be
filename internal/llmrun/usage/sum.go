package usage

// sumUsage adds up the usages of several calls made by one run.
//
// A cost that only some of the calls report is not the cost of the run: a side's cost is kept if every call with tokens on
// that side reports it; otherwise it is priced.
func sumUsage(calls []Usage) Usage {
	if len(calls) == 1 {
		return calls[0]
	}
	var sum Usage
	inputCosts, outputCosts, totalCosts := true, true, true
	for i := range calls {
		u := &calls[i]
		input, output, total := u.Tokens()
		if u.InputTokens != nil {
			sum.InputTokens = plusTokens(sum.InputTokens, input)
		}
		if u.OutputTokens != nil {
			sum.OutputTokens = plusTokens(sum.OutputTokens, output)
		}
		if u.InputTokens != nil || u.OutputTokens != nil || u.TotalTokens != nil {
			sum.TotalTokens = plusTokens(sum.TotalTokens, total)
		}
		sum.InputTokenDetails = plusDetails(sum.InputTokenDetails, u.InputTokenDetails)
		sum.OutputTokenDetails = plusDetails(sum.OutputTokenDetails, u.OutputTokenDetails)
		sum.InputCostDetails = plusDetails(sum.InputCostDetails, u.InputCostDetails)
		sum.OutputCostDetails = plusDetails(sum.OutputCostDetails, u.OutputCostDetails)

		sum.InputCost = plusCost(sum.InputCost, u.InputCost)
		sum.OutputCost = plusCost(sum.OutputCost, u.OutputCost)
		stated := u.statedTotal()
		sum.TotalCost = plusCost(sum.TotalCost, stated)
		inputCosts = inputCosts && (u.InputCost != nil || input == 0)
		outputCosts = outputCosts && (u.OutputCost != nil || output == 0)
		totalCosts = totalCosts && (stated != nil || total == 0)
	}
	if !inputCosts {
		sum.InputCost, sum.InputCostDetails = nil, nil
	}
	if !outputCosts {
		sum.OutputCost, sum.OutputCostDetails = nil, nil
	}
	if !totalCosts {
		sum.TotalCost = nil
	}
	return sum
}

// statedTotal returns the total cost as far as the usage itself reports it.
func (u *Usage) statedTotal() *Decimal {
	input, output, _ := u.Tokens()
	switch {
	case u.TotalCost != nil:
		return u.TotalCost
	case u.InputCost == nil && u.OutputCost == nil, u.InputCost == nil && input > 0, u.OutputCost == nil && output > 0:
		return nil
	default:
		return plusCost(u.InputCost, u.OutputCost)
	}
}

func plusTokens(sum *int64, n int64) *int64 {
	n = addTokens(orZero(sum), n)
	return &n
}

// plusCost adds costs; nil is unknown, not 0, so the sum of two unknown ones is unknown.
func plusCost(a, b *Decimal) *Decimal {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := a.Add(*b)
	return &sum
}

// plusDetails adds more to sum, which is modified unless it is nil.
func plusDetails[M ~map[string]Decimal](sum, more M) M {
	if more == nil {
		return sum
	}
	if sum == nil {
		sum = make(M, len(more))
	}
	for kind, n := range more {
		sum[kind] = sum[kind].Add(n)
	}
	return sum
}
