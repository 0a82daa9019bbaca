package fake

import (
	"slices"
	"strings"
)

// loadedFolder takes a folder and, as workouts of the library, its children.
func (s *Server) loadedFolder(a *athlete, loaded Object) {
	o := cloneObject(loaded)
	children := objects(o["children"])
	delete(o, "children")
	id := s.numberedID(o)
	o["id"], o["athlete_id"] = float64(id), a.id
	if text(o, "type") == "" {
		o["type"] = "FOLDER"
	}
	a.folders = append(a.folders, o)
	for _, w := range children {
		w["id"], w["athlete_id"], w["folder_id"] = float64(s.numberedID(w)), a.id, float64(id)
		a.planInto(w, false, w["icu_training_load"] != nil)
		a.plans = append(a.plans, w)
	}
}

func (c *call) listFolders() (any, error) {
	out := make([]row, len(c.ath.folders))
	for i, f := range c.ath.folders {
		out[i] = c.folderRow(f)
	}
	return out, nil
}

func (c *call) folderRow(f Object) row {
	r := full(folderKeys, f)
	var children []Object
	for _, w := range c.ath.plans {
		if w["folder_id"] == f["id"] {
			children = append(children, w)
		}
	}
	r.over = Object{"children": workoutRows(children), "num_workouts": len(children)}
	r.under = Object{"visibility": "PRIVATE", "canEdit": true, "sharedWithCount": 0, "read_only_workouts": false}
	return r
}

func workoutRows(list []Object) []row {
	out := make([]row, len(list))
	for i, w := range list {
		out[i] = workoutRow(w)
	}
	return out
}

func workoutRow(w Object) row {
	r := full(workoutKeys, w)
	r.under = Object{
		"indoor": false, "hide_from_athlete": false, "for_week": false, "sub_type": "NONE", "target": "AUTO",
	}
	if target := text(docOf(w), "target"); target != "" && w["targets"] == nil {
		r.under["targets"] = []string{target}
	}
	return r
}

// find gives the object of a list with the id in the path.
func (c *call) find(list []Object, arg string) (Object, error) {
	id, err := c.id(arg)
	if err != nil {
		return nil, err
	}
	for _, o := range list {
		if n, _ := whole(o, "id"); n == id {
			return o, nil
		}
	}
	return nil, errNotFound
}

func folderFields() fieldSet {
	return fieldSet{}.
		with(textField(), "name description blurb").
		with(enumField(enum("FOLDER PLAN")), "type").
		with(enumField(enum("PRIVATE PUBLIC")), "visibility").
		with(timeField(), "start_date_local").
		with(listField(sportTypes), "activity_types").
		with(intField(), "rollout_weeks auto_rollout_day duration_weeks hours_per_week_min hours_per_week_max starting_ctl starting_atl").
		with(boolField(), "read_only_workouts")
}

func (c *call) postFolder() (any, error) { return c.saveFolder(Object{}) }

func (c *call) putFolder() (any, error) {
	f, err := c.find(c.ath.folders, "folder")
	if err != nil {
		return nil, err
	}
	return c.saveFolder(f)
}

func (c *call) saveFolder(f Object) (any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	fields, no := folderFields().accept(body)
	if no != nil {
		return nil, no
	}
	name, sent := fields["name"].(string)
	if strings.TrimSpace(name) == "" && (sent || f["id"] == nil) {
		return nil, errNoName
	}
	if len([]rune(name)) > maxName {
		return nil, errNameTooLong
	}
	merge(f, fields)
	if f["id"] == nil {
		f["id"], f["athlete_id"] = float64(c.s.nextID()), c.ath.id
		if f["type"] == nil {
			f["type"] = "FOLDER"
		}
		c.ath.folders = append(slices.Clone(c.ath.folders), f)
	}
	return c.folderRow(f), nil
}

// deleteFolder takes its workouts along.
func (c *call) deleteFolder() (any, error) {
	f, err := c.find(c.ath.folders, "folder")
	if err != nil {
		return nil, err
	}
	id := f["id"]
	c.ath.folders = slices.DeleteFunc(slices.Clone(c.ath.folders), func(o Object) bool { return o["id"] == id })
	c.ath.plans = slices.DeleteFunc(slices.Clone(c.ath.plans), func(o Object) bool { return o["folder_id"] == id })
	return Object{}, nil
}

// putFolderWorkouts hides days of a plan; days count from 0.
func (c *call) putFolderWorkouts() (any, error) {
	f, err := c.find(c.ath.folders, "folder")
	if err != nil {
		return nil, err
	}
	for _, k := range []string{"oldest", "newest"} {
		if c.query.Get(k) == "" {
			return nil, missingParameter(k, "int")
		}
	}
	oldest, err := c.number("oldest", 0)
	if err != nil {
		return nil, err
	}
	newest, err := c.number("newest", 0)
	if err != nil {
		return nil, err
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	changes, no := fieldSet{}.with(boolField(), "hide_from_athlete").accept(body)
	if no != nil {
		return nil, no
	}
	out := []row{}
	for _, w := range c.ath.plans {
		n, ok := whole(w, "day")
		if ok && w["folder_id"] == f["id"] && int(n) >= oldest && int(n) <= newest {
			merge(w, changes)
			out = append(out, workoutRow(w))
		}
	}
	return out, nil
}

func (c *call) listWorkouts() (any, error) { return workoutRows(c.ath.plans), nil }

func (c *call) getWorkout() (any, error) {
	w, err := c.find(c.ath.plans, "workout")
	if err != nil {
		return nil, err
	}
	return workoutRow(w), nil
}

func workoutFields() fieldSet {
	return fieldSet{}.
		with(textField(), "name description color time").
		with(enumField(sportTypes), "type").
		with(enumField(targetTypes), "target").
		with(enumField(subTypes), "sub_type").
		with(boolField(), "indoor hide_from_athlete for_week").
		with(intField(), "folder_id icu_training_load moving_time joules day days carbs_per_hour").
		with(floatField(), "distance icu_intensity").
		with(listField(nil), "tags").
		with(objectField(), "workout_doc")
}

func (c *call) postWorkout() (any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	w, err := c.newWorkout(body)
	if err != nil {
		return nil, err
	}
	c.ath.plans = append(slices.Clone(c.ath.plans), w)
	return workoutRow(w), nil
}

func (c *call) postWorkouts() (any, error) {
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	made := make([]Object, len(list))
	for i, body := range list {
		if made[i], err = c.newWorkout(body); err != nil {
			return nil, err
		}
	}
	c.ath.plans = append(slices.Clone(c.ath.plans), made...)
	return workoutRows(made), nil
}

func (c *call) newWorkout(body Object) (Object, error) {
	w, no := workoutFields().accept(body)
	if no != nil {
		return nil, no
	}
	if err := c.checkWorkout(w); err != nil {
		return nil, err
	}
	w["id"], w["athlete_id"] = float64(c.s.nextID()), c.ath.id
	w["updated"] = c.s.stampNow()
	c.ath.planInto(w, true, w["icu_training_load"] != nil)
	return w, nil
}

func (c *call) checkWorkout(w Object) error {
	folder, ok := whole(w, "folder_id")
	known := slices.ContainsFunc(c.ath.folders, func(f Object) bool {
		n, _ := whole(f, "id")
		return n == folder
	})
	switch name := strings.TrimSpace(text(w, "name")); {
	case !ok || !known:
		return invalid("Folder is required")
	case name == "":
		return errNoName
	case len([]rune(name)) > maxName:
		return errNameTooLong
	case text(w, "type") == "":
		return errMissingType
	}
	return nil
}

func (c *call) putWorkout() (any, error) {
	w, err := c.find(c.ath.plans, "workout")
	if err != nil {
		return nil, err
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	fields, no := workoutFields().accept(body)
	if no != nil {
		return nil, no
	}
	after := cloneObject(w)
	changed := merge(after, fields)
	if err := c.checkWorkout(after); err != nil {
		return nil, err
	}
	if changed["description"] {
		for _, k := range []string{"workout_doc", "icu_training_load", "moving_time", "distance", "joules", "icu_intensity"} {
			if fields[k] == nil {
				delete(after, k)
			}
		}
	}
	if changed["description"] || changed["indoor"] || changed["type"] || changed["workout_doc"] {
		c.ath.planInto(after, true, fields["icu_training_load"] != nil)
	}
	after["updated"] = c.s.stampNow()
	for i, o := range c.ath.plans {
		if o["id"] == w["id"] {
			c.ath.plans[i] = after
		}
	}
	return workoutRow(after), nil
}

func (c *call) deleteWorkout() (any, error) {
	w, err := c.find(c.ath.plans, "workout")
	if err != nil {
		return nil, err
	}
	ids := []int64{}
	c.ath.plans = slices.DeleteFunc(slices.Clone(c.ath.plans), func(o Object) bool {
		doomed := o["id"] == w["id"] ||
			c.flag("others") && w["plan_applied"] != nil && o["plan_applied"] == w["plan_applied"]
		if doomed {
			n, _ := whole(o, "id")
			ids = append(ids, n)
		}
		return doomed
	})
	return ids, nil
}

func (c *call) workoutTags() (any, error) {
	var lists []any
	for _, w := range c.ath.plans {
		lists = append(lists, w["tags"])
	}
	return distinct(lists), nil
}
