package identity

import "testing"

// Raw is identitytest.Raw.
func (m *Memory) Raw(_ *testing.T, h Hash, fields map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tokens == nil {
		m.tokens = map[Hash]map[string]string{}
	}
	m.tokens[h] = fields
}
