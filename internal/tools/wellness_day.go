package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"intervals-mcp/internal/intervals"
)

// fact is one thing known of a day, once in words and once as a value.
type fact struct {
	section section
	text    string
	name    string
	value   any
}

// wellnessDay is one record as it is shown.
type wellnessDay struct {
	date       string
	projection bool
	full       bool
	facts      []fact
	custom     []fact // the athlete's own fields; name is the code
	comments   string
	locked     *bool
	other      intervals.Object
	raw        []byte // its JSON, once written
}

// wellnessView is what records are shown with.
type wellnessView struct {
	profile Profile
	custom  map[string]string
	private []string // keys hidden from whoever asks
	full    bool
	today   string
}

// record hides what is private and turns a record into facts. before is the
// record shown above it, so that what rarely changes is said once.
func (v wellnessView) record(w, before intervals.Wellness) wellnessDay {
	o := w.Object
	d := wellnessDay{date: w.Day(), projection: w.Day() > v.today, full: v.full, comments: o.Str("comments")}
	for i := range wellnessFields {
		f := &wellnessFields[i]
		if f.section == vitalSigns && f.key == "weight" {
			d.facts = append(d.facts, v.sports(o, before.Object)...)
		}
		if n, ok := wellnessNumber(o, f.key); ok && (n != 0 || v.full || !f.neverZero()) {
			d.facts = append(d.facts, v.facts(o, f, n)...)
		}
	}
	if v.full {
		d.facts = append(d.facts, menstrualFacts(o)...)
	}
	if locked, known := o.Bool("locked"); known {
		d.locked = &locked
	}
	rest := otherFields(o, wellnessKnown)
	for code, value := range rest.All() {
		if name, ok := v.custom[code]; ok {
			d.custom = append(d.custom, fact{text: Quote(name, 40) + " " + foreign(value, 80), name: code,
				value: map[string]any{"name": intervals.Clean(name, 80), "value": value}})
		}
	}
	if v.full {
		d.other = rest.Only(func(key string) bool { _, custom := v.custom[key]; return !custom })
	}
	return d
}

// wellnessNumber reads a field, or makes the one that is not stored: form is
// fitness minus fatigue, both unrounded, at the end of the day.
func wellnessNumber(o intervals.Object, key string) (float64, bool) {
	switch key {
	case formKey:
		ctl, ok1 := o.Number("ctl")
		atl, ok2 := o.Number("atl")
		return ctl - atl, ok1 && ok2
	case "sleepSecs":
		if secs, ok := o.Number(key); ok {
			return secs, true
		}
		hours, ok := o.Number("sleepHours")
		return hours * 3600, ok
	}
	return o.Number(key)
}

// facts words one number.
func (v wellnessView) facts(o intervals.Object, f *wellnessField, n float64) []fact {
	words := strings.TrimSpace(f.label + " " + round(n, f.decimals) + f.unit)
	if f.always {
		words = f.label + " " + fixed(n, f.decimals)
	}
	one := fact{f.section, words, f.name, rounded(n, f.decimals) + 0} // + 0: never -0
	switch f.key {
	case formKey:
		if percent, ok := v.formPercent(o, n); ok {
			one.text += " (" + fixed(percent, 0) + " %)"
			return []fact{one, {f.section, "", "form_percent", rounded(percent, 0)}}
		}
	case "atlLoad":
		if ctl, ok := o.Number("ctlLoad"); ok && ctl == n {
			one.text = "" // the load was said already
		}
	case "weight":
		one.text = "weight " + v.profile.Units.Weight(n)
		return carriedOver(o, "tempWeight", one)
	case "restingHR":
		return carriedOver(o, "tempRestingHR", one)
	case "sleepSecs":
		one.text = hoursMinutes(n)
	case "systolic":
		low, ok := o.Number("diastolic")
		if !ok || (low == 0 && !v.full) {
			return nil
		}
		one.text = "blood pressure " + round(n, 0) + "/" + round(low, 0) + f.unit
		return []fact{one, {f.section, "", "diastolic_mmhg", rounded(low, 0)}}
	}
	if f.scale != nil {
		word := f.scale.word(n)
		if word != "" {
			one.text += " " + word
			return []fact{one, {f.section, "", f.name + "_word", word}}
		}
	}
	return []fact{one}
}

func (v wellnessView) formPercent(o intervals.Object, form float64) (float64, bool) {
	as, _ := v.profile.Athlete.Bool("icu_form_as_percent")
	ctl, ok := o.Number("ctl")
	return 100 * form / ctl, as && ok && ctl > 0
}

// carriedOver marks a value that was not measured on this day.
func carriedOver(o intervals.Object, flag string, one fact) []fact {
	if temp, _ := o.Bool(flag); !temp {
		return []fact{one}
	}
	one.text += " (carried over)"
	return []fact{one, {one.section, "", strings.TrimSuffix(strings.TrimSuffix(one.name, "_kg"), "_bpm") + "_carried_over", true}}
}

// sports lists the platform's estimates per sport; in the compact form's text
// only when they differ from the record above.
func (v wellnessView) sports(o, before intervals.Object) []fact {
	type sport struct {
		Type   string   `json:"type"`
		EFTP   *float64 `json:"eftp_w,omitempty"`
		WPrime *float64 `json:"w_prime_j,omitempty"`
		PMax   *float64 `json:"p_max_w,omitempty"`
	}
	var list []sport
	var words []string
	for _, info := range o.Objects("sportInfo") {
		s := sport{Type: intervals.Clean(info.Str("type"), 30), EFTP: field(info, "eftp", 0)}
		if v.full {
			s.WPrime, s.PMax = field(info, "wPrime", 0), field(info, "pMax", 0)
		}
		if s.EFTP == nil && s.WPrime == nil && s.PMax == nil {
			continue
		}
		list = append(list, s)
		words = append(words, parts(", ", s.Type+amount(" eFTP ", s.EFTP, " W"), amount("W' ", s.WPrime, " J"), amount("Pmax ", s.PMax, " W")))
	}
	if list == nil {
		return nil
	}
	text := strings.Join(words, "; ")
	if !v.full {
		if above := (wellnessView{profile: v.profile}).eftp(before); above == text {
			text = ""
		}
	}
	return []fact{{sportInfo, text, "sports", list}}
}

// eftp is the compact text of a record's estimates.
func (v wellnessView) eftp(o intervals.Object) string {
	var words []string
	for _, info := range o.Objects("sportInfo") {
		if w := field(info, "eftp", 0); w != nil {
			words = append(words, intervals.Clean(info.Str("type"), 30)+amount(" eFTP ", w, " W"))
		}
	}
	return strings.Join(words, "; ")
}

// amount words an optional number; "" when it is absent.
func amount(before string, v *float64, after string) string {
	if v == nil {
		return ""
	}
	return before + round(*v, 1) + after
}

func menstrualFacts(o intervals.Object) []fact {
	var out []fact
	for _, f := range []struct{ key, name, label string }{{"menstrualPhase", "menstrual_phase", ""}, {"menstrualPhasePredicted", "menstrual_phase_predicted", "predicted "}} {
		if s := o.Str(f.key); s != "" {
			word := intervals.Clean(strings.ToUpper(s[:1])+strings.ToLower(s[1:]), 30)
			out = append(out, fact{menstrual, f.label + word, f.name, strings.ToLower(word)})
		}
	}
	return out
}

// hoursMinutes writes a length of sleep as h:mm.
func hoursMinutes(s float64) string {
	n := int64(rounded(s/60, 0))
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// commentLimit is how much of the athlete's comment is shown.
func (d *wellnessDay) commentLimit() int {
	if d.full {
		return 2000
	}
	return 200
}

// text writes the day: one line of sections, or in the full form a line each.
func (d *wellnessDay) text() string {
	head, between := d.date+" "+weekday(d.date), " | "
	if d.full {
		head, between = "Date: "+head, "\n"
	}
	if d.projection {
		head += " (projection)"
	}
	lines := []string{head}
	add := func(label, text string) {
		if d.full {
			text = label + ": " + text // the compact form has its labels in the header
		}
		lines = append(lines, text)
	}
	for s := range sections {
		var words []string
		for _, f := range d.facts {
			if f.section == s && f.text != "" {
				words = append(words, f.text)
			}
		}
		if len(words) > 0 {
			add(sectionLabels[s], strings.Join(words, d.comma(s)))
		}
	}
	if len(d.custom) > 0 {
		words := make([]string, len(d.custom))
		for i, f := range d.custom {
			words[i] = f.text
		}
		add("Custom Fields", strings.Join(words, ", "))
	}
	if d.comments != "" {
		add("Comments", Quote(d.comments, d.commentLimit()))
	}
	if d.locked != nil && (*d.locked || d.full) {
		add("Status", map[bool]string{true: "Locked", false: "Unlocked"}[*d.locked])
	}
	if other := otherText(d.other); len(other) > 0 {
		lines = append(lines, "Other Fields:\n- "+strings.Join(other, "\n- "))
	}
	return strings.Join(lines, between)
}

// comma parts the facts of a section: in the compact form those that begin with
// their label need none.
func (d *wellnessDay) comma(s section) string {
	if d.full || s == nutrition || s == sportInfo {
		return ", "
	}
	return " "
}

// MarshalJSON writes the facts in their order; id is the date, as upstream.
func (d *wellnessDay) MarshalJSON() ([]byte, error) {
	if d.raw != nil {
		return d.raw, nil
	}
	b := make([]byte, 0, 512)
	add := func(name string, v any) {
		b = append(appendText(append(b, ','), name), ':')
		b = appendValue(b, v)
	}
	b = append(b, `{"id":"`+d.date+`","date":"`+d.date+`"`...)
	if d.projection {
		add("projection", true)
	}
	for _, f := range d.facts {
		add(f.name, f.value)
	}
	if len(d.custom) > 0 {
		custom := make(map[string]any, len(d.custom))
		for _, f := range d.custom {
			custom[f.name] = f.value
		}
		add("custom_fields", custom)
	}
	if d.comments != "" {
		add("comments", intervals.Clean(d.comments, d.commentLimit()))
	}
	if d.locked != nil {
		add("locked", *d.locked)
	}
	if d.other.Len() > 0 {
		add("other_fields", d.other)
	}
	d.raw = append(b, '}')
	return d.raw, nil
}

var _ json.Marshaler = (*wellnessDay)(nil)
