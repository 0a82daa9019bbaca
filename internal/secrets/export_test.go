package secrets

import "testing"

// Raw is secretstest.Raw.
func (m *Memory) Raw(_ *testing.T, user, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	m.keys[user] = value
}
