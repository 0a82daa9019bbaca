package mcpserver

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// stdioSession remembers what the handshake said.
type stdioSession struct {
	notices chan mcp.JSONRPCNotification // never read: nothing is notified

	mu      sync.Mutex
	ready   bool
	version string
	client  mcp.Implementation
	can     mcp.ClientCapabilities
}

func (s *stdioSession) SessionID() string { return "stdio" }

func (s *stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notices }

func (s *stdioSession) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
}

func (s *stdioSession) Initialized() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

func (s *stdioSession) SetProtocolVersion(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = v
}

func (s *stdioSession) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

func (s *stdioSession) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

func (s *stdioSession) SetClientInfo(i mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = i
}

func (s *stdioSession) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.can
}

func (s *stdioSession) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.can = c
}
