package fake

import "strings"

// getMessages lists an activity's comments, oldest first.
func (c *call) getMessages() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	since, err := c.number("sinceId", 0)
	if err != nil {
		return nil, err
	}
	limit, err := c.number("limit", 100)
	if err != nil {
		return nil, err
	}
	out := []row{}
	for _, m := range c.act.messages {
		if n, _ := whole(m, "id"); n > int64(since) && len(out) < limit {
			out = append(out, full(messageKeys, m))
		}
	}
	return out, nil
}

func (c *call) postMessage() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	content := text(body, "content")
	if strings.TrimSpace(content) == "" {
		return nil, invalid("Content is required")
	}
	id := c.s.nextID()
	c.act.messages = append(c.act.messages, Object{
		"id": float64(id), "athlete_id": c.who.id, "name": c.who.name, "created": c.s.stampNow(),
		"type": "TEXT", "content": content, "activity_id": c.act.id, "seen": true,
	})
	return full([]string{"id", "new_chat"}, Object{"id": id}), nil
}

func (s *Server) loadedMessage(act *activity, m Object) Object {
	m = cloneObject(m)
	m["id"] = float64(s.numberedID(m))
	for key, v := range map[string]any{
		"athlete_id": act.owner.id, "name": act.owner.name, "type": "TEXT", "seen": true,
	} {
		if m[key] == nil {
			m[key] = v
		}
	}
	m["activity_id"] = act.id
	return m
}
