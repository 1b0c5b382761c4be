package figure

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// measure is a measure of runs of which percentiles are asked for.
type measure int

const (
	latency measure = iota
	firstToken
	totalTokens
	promptTokens
	completionTokens
	totalCost
	measures
)

// samples are the values of some runs, by measure. A run may lack some.
type samples [measures][]float64

// sketches estimate how values are distributed, by measure.
type sketches [measures]*ddsketch.DDSketch

// sketchAccuracy is the relative error of estimated percentiles. Tokens are rounded to integers after that: half of the promised
// hundredth keeps the sum of both errors below it.
const sketchAccuracy = 0.005

var sketchMapping, _ = mapping.NewLogarithmicMapping(sketchAccuracy) // Every accuracy between 0 and 1 is valid.

func newSketches() (s sketches) {
	for m := range s {
		s[m] = ddsketch.NewDDSketchFromStoreProvider(sketchMapping, store.BufferedPaginatedStoreConstructor)
	}
	return s
}

func (s sketches) add(values samples) error {
	for m, some := range values {
		for _, value := range some {
			if err := s[m].Add(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// encode and addEncoded use the library's encoding, each measure after its length.
func (s sketches) encode() (all []byte) {
	for _, one := range s {
		var text []byte
		one.Encode(&text, true)
		all = append(binary.AppendUvarint(all, uint64(len(text))), text...)
	}
	return all
}

func (s sketches) addEncoded(text []byte) error {
	for _, one := range s {
		length, n := binary.Uvarint(text)
		if n <= 0 || length > uint64(len(text[n:])) {
			return errDamaged
		}
		text = text[n:]
		if err := one.DecodeAndMergeWith(text[:length]); err != nil {
			return err
		}
		text = text[length:]
	}
	return nil
}

var errDamaged = errors.New("rolled-up figures are damaged")

// encode returns the values in ascending order as differences of integers: microseconds, tokens, and the bits of costs, whose order
// is that of the costs.
func (s samples) encode() (all []byte) {
	for m, values := range s {
		all = binary.AppendUvarint(all, uint64(len(values)))
		integers := make([]int64, len(values))
		for i, value := range values {
			integers[i] = integerOf(measure(m), value)
		}
		slices.Sort(integers)
		last := int64(0)
		for _, n := range integers {
			all = binary.AppendVarint(all, n-last)
			last = n
		}
	}
	return all
}

// decodeSamples is the reverse of encode.
func decodeSamples(text []byte) (s samples, _ error) {
	for m := range s {
		length, n := binary.Uvarint(text)
		if n <= 0 || length > uint64(len(text)) {
			return s, errDamaged
		}
		text = text[n:]
		last := int64(0)
		s[m] = make([]float64, length)
		for i := range s[m] {
			more, n := binary.Varint(text)
			if n <= 0 {
				return s, errDamaged
			}
			text, last = text[n:], last+more
			s[m][i] = valueOf(measure(m), last)
		}
	}
	return s, nil
}

func integerOf(m measure, value float64) int64 {
	switch m {
	case latency, firstToken:
		return int64(math.Round(value * 1e6))
	case totalCost:
		return int64(math.Float64bits(value)) //nolint:gosec // Costs are not negative.
	default:
		return int64(value)
	}
}

func valueOf(m measure, n int64) float64 {
	switch m {
	case latency, firstToken:
		return (time.Duration(n) * time.Microsecond).Seconds()
	case totalCost:
		return math.Float64frombits(uint64(n)) //nolint:gosec // It was made from these bits.
	default:
		return float64(n)
	}
}

// part contains the values of some of the runs whose figures are requested: as they are, or as they are stored. A part that is stored
// has samples, sketches or both: there are too few values for sketches, or too many to keep all.
type part struct {
	values            *samples
	samples, sketches []byte
}

// Rolled-up figures of up to limits.ExactPercentiles runs contain all values, those of more than fewValues runs also sketches.
const fewValues = 500

// distribution is what percentiles are computed from. Without runs, exact and approx are nil.
type distribution struct {
	exact  *samples
	sorted [measures]bool // Of exact.
	approx *sketches
}

// distributionOf combines parts with a number of runs in total. It is exact if there are few enough runs, or if all values are at hand.
func distributionOf(parts []part, runs int) (d distribution, _ error) {
	stored := slices.ContainsFunc(parts, func(p part) bool { return p.values == nil })
	if runs <= limits.ExactPercentiles || !stored {
		d.exact = &samples{}
		for _, p := range parts {
			values, err := p.all()
			if err != nil {
				return d, err
			}
			for m := range values {
				d.exact[m] = append(d.exact[m], values[m]...)
			}
		}
		return d, nil
	}
	s := newSketches()
	for _, p := range parts {
		if p.sketches != nil {
			if err := s.addEncoded(p.sketches); err != nil {
				return d, err
			}
			continue
		}
		values, err := p.all()
		if err == nil {
			err = s.add(values)
		}
		if err != nil {
			return d, err
		}
	}
	d.approx = &s
	return d, nil
}

// all returns the values of a part.
func (p part) all() (samples, error) {
	if p.values != nil {
		return *p.values, nil
	}
	return decodeSamples(p.samples)
}

// percentile returns nil without values.
func (d *distribution) percentile(m measure, share float64) *float64 {
	switch {
	case d.approx != nil:
		return d.estimate(m, share)
	case d.exact == nil:
		return nil
	case !d.sorted[m]:
		slices.Sort(d.exact[m])
		d.sorted[m] = true
	}
	return sortedPercentile(d.exact[m], share)
}

// estimate is percentile for sketches.
func (d *distribution) estimate(m measure, share float64) *float64 {
	sketch := d.approx[m]
	n := sketch.GetCount()
	if n == 0 {
		return nil
	}
	// As in Percentile, between the values of two ranks.
	at := share * (n - 1)
	below := math.Floor(at)
	low, high := ranked(sketch, below, n), ranked(sketch, min(below+1, n-1), n)
	return new(low + (at-below)*(high-low))
}

// ranked returns the value of a rank. The library rounds ranks down, so half a rank more is safe from rounding errors.
func ranked(sketch *ddsketch.DDSketch, rank, n float64) float64 {
	if n == 1 {
		rank = 0
	} else {
		rank = min((rank+0.5)/(n-1), 1)
	}
	value, _ := sketch.GetValueAtQuantile(rank) // The quantile is valid, and there are values.
	return value
}
