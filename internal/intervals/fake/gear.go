package fake

// listGear lists bikes, shoes and their parts with the reminders on them.
func (c *call) listGear() (any, error) {
	list := rows(gearKeys, c.ath.gear)
	for i := range list {
		list[i].under = Object{
			"use_elapsed_time": false, "component": false, "reminders": []any{}, "activity_filters": []any{},
		}
		if reminders := objects(list[i].Object["reminders"]); len(reminders) > 0 {
			list[i].over = Object{"reminders": rows(reminderKeys, reminders)}
		}
	}
	if c.ext == "csv" {
		return csvAnswer(gearKeys, list), nil
	}
	return list, nil
}
