package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var getGearList = Tool{
	Name:        "get_gear_list",
	Title:       "List gear",
	Description: "Lists the athlete's bikes, shoes and parts with distance, time, number of activities, default sports and whether they are retired.",
	Params: []Param{
		athleteParam,
		{Name: "refresh", Kind: Boolean, Default: false, Doc: "Read again instead of using a list up to 5 minutes old."},
		{Name: "limit", Kind: Integer, Default: 200, Min: 1, Max: 500},
		cursorParam,
	},
	Result: []Out{{"athlete_id", String, true}, {"gear", List, true}, {"count", Integer, true}, {"remaining", Integer, false},
		{"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetFull,
	Failure: "Error fetching gear",
	run:     handle(listGear),
}

type gearIn struct {
	Athlete string `json:"athlete_id"`
	Refresh bool   `json:"refresh"`
	Limit   int    `json:"limit"`
	Cursor  string `json:"cursor"`
}

type gearList struct {
	AthleteID string     `json:"athlete_id"`
	Gear      []gearItem `json:"gear"`
	Page
	texts []string
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
	fp, after := fingerprint("gear", in.Athlete), ""
	if in.Cursor != "" {
		c, err := readCursor(in.Cursor, fp)
		if err != nil {
			return gearList{}, err
		}
		after = c.After
	}
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
	if i := slices.IndexFunc(gear, func(g intervals.Gear) bool { return g.ID() == after }); after != "" {
		if i < 0 {
			return gearList{}, Problems{{Arg: "cursor", Message: "names gear that is no longer there", Next: "leave it out to start again"}}
		}
		gear = gear[i+1:]
	}
	out := gearList{AthleteID: p.ID, Gear: []gearItem{}}
	n := fit(len(gear), in.Limit, func(i int) int {
		item := newGearItem(gear[i])
		out.Gear, out.texts = append(out.Gear, item), append(out.texts, item.line(p.Units))
		return recordSize(out.texts[i], mustJSON(item))
	})
	out.Gear, out.texts, out.Shown = out.Gear[:n], out.texts[:n], n
	if out.Left = len(gear) - n; out.Left > 0 {
		out.NextCursor = cursor{After: out.Gear[n-1].ID, Args: fp}.String()
	}
	return out, nil
}

func newGearItem(g intervals.Gear) gearItem {
	item := gearItem{ID: g.ID(), Type: intervals.Clean(cmp.Or(g.Str("component_type"), g.Str("type")), 40), Name: intervals.Clean(g.Name(), 100),
		Retired: intervals.Clean(g.Str("retired"), 20), Activities: field(g.Object, "activities", 0), DistanceM: field(g.Object, "distance", 0), TimeS: field(g.Object, "time", 0)}
	item.Component, _ = g.Bool("component")
	item.DefaultFor = strings.Join(cleanAll(g.Texts("default_for_type")), ", ")
	if item.DefaultFor == "" {
		item.DefaultFor = intervals.Clean(g.Str("default_for"), 80)
	}
	return item
}

// line is one piece of gear.
func (g gearItem) line(u Units) string {
	line := parts(" | ", g.ID, g.Type, quoteIf(g.Name, 60), prefixed("default ", g.DefaultFor), amount("", g.Activities, " acts"))
	if g.DistanceM != nil {
		line += " | " + u.Distance(*g.DistanceM, "")
	}
	if g.TimeS != nil {
		line += " | " + round(*g.TimeS/3600, 1) + " h"
	}
	return parts(" | ", line, prefixed("retired ", g.Retired))
}

// Text lists one piece of gear a line.
func (l gearList) Text() string {
	if len(l.Gear) == 0 {
		return fmt.Sprintf("No gear found for athlete %s.", l.AthleteID)
	}
	head := fmt.Sprintf("Gear catalog for athlete %s:\nID | Type | Name | Default | Acts | Dist | Time | Retired\n", l.AthleteID)
	return head + parts("\n\n", strings.Join(l.texts, "\n"), l.Page.text("pieces of gear"))
}
