package main

import (
	"fmt"
	"slices"
	"time"
)

// sample is a list of measured times.
type sample []time.Duration

func (s sample) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (s sample) p50() time.Duration { return s.at(0.5) }
func (s sample) p99() time.Duration { return s.at(0.99) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

// row is one line of the table.
type row struct {
	What, Ours, Target string
	Met                bool
	Note               string
}

func (r row) verdict() string {
	if r.Ours == "" {
		return "not measured"
	}
	if r.Met {
		return "met"
	}
	return "**missed**"
}
