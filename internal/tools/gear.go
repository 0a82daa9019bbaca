package tools

import (
	"context"
	"fmt"
	"strings"

	"intervals-mcp/internal/identity"
)

var getGearList = Tool{
	Name:        "get_gear_list",
	Title:       "List gear",
	Description: "Lists the athlete's bikes, shoes and parts with distance, time, number of activities, default sports and whether they are retired.",
	Params: []Param{
		athleteParam,
		{Name: "refresh", Kind: Boolean, Default: false, Doc: "Read again instead of using a list up to 5 minutes old."},
	},
	Result:  []Out{{"athlete_id", String, true}, {"gear", List, true}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetFull,
	Failure: "Error fetching gear",
	run:     handle(listGear),
}

type gearIn struct {
	Athlete string `json:"athlete_id"`
	Refresh bool   `json:"refresh"`
}

type gearList struct {
	AthleteID string     `json:"athlete_id"`
	Gear      []gearItem `json:"gear"`
	units     Units
}

type gearItem struct {
	ID         string   `json:"id"`
	Type       string   `json:"type,omitempty"`
	Name       string   `json:"name,omitempty"`
	DefaultFor string   `json:"default_for,omitempty"`
	Component  bool     `json:"component,omitempty"`
	Activities *float64 `json:"activities,omitempty"`
	DistanceM  *float64 `json:"distance_m,omitempty"`
	TimeS      *float64 `json:"time_s,omitempty"`
	Retired    string   `json:"retired,omitempty"` // date
}

func listGear(ctx context.Context, rq *Request, in gearIn) (gearList, error) {
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return gearList{}, err
	}
	gear, err := rq.startGear(ctx, who.id, in.Refresh).wait(ctx)
	if err != nil {
		return gearList{}, err
	}
	p, err := who.wait(ctx)
	if err != nil {
		return gearList{}, err
	}
	out := gearList{AthleteID: p.ID, Gear: []gearItem{}, units: p.Units}
	for _, g := range gear {
		item := gearItem{ID: g.ID(), Type: g.Str("type"), Name: g.Name(), Retired: g.Str("retired"),
			Activities: field(g.Object, "activities", 0), DistanceM: field(g.Object, "distance", 0), TimeS: field(g.Object, "time", 0)}
		if t := g.Str("component_type"); t != "" {
			item.Type = t
		}
		item.Component, _ = g.Bool("component")
		item.DefaultFor = strings.Join(g.Texts("default_for_type"), ", ")
		if item.DefaultFor == "" {
			item.DefaultFor = g.Str("default_for")
		}
		out.Gear = append(out.Gear, item)
	}
	return out, nil
}

// Text lists one piece of gear a line.
func (l gearList) Text() string {
	if len(l.Gear) == 0 {
		return fmt.Sprintf("No gear found for athlete %s.", l.AthleteID)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Gear catalog for athlete %s:\nID | Type | Name | Default | Acts | Dist | Time | Retired", l.AthleteID)
	for _, g := range l.Gear {
		b.WriteString("\n" + parts(" | ", g.ID, g.Type, Quote(g.Name, 60)))
		if g.DefaultFor != "" {
			b.WriteString(" | default " + g.DefaultFor)
		}
		if g.Activities != nil {
			b.WriteString(" | " + round(*g.Activities, 0) + " acts")
		}
		if g.DistanceM != nil {
			b.WriteString(" | " + l.units.Distance(*g.DistanceM, ""))
		}
		if g.TimeS != nil {
			b.WriteString(" | " + round(*g.TimeS/3600, 1) + " h")
		}
		if g.Retired != "" {
			b.WriteString(" | retired " + g.Retired)
		}
	}
	return b.String()
}
