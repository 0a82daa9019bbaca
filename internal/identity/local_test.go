package identity_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
)

func TestTheBuiltInUserIsEnrolledWithTheirFirstToken(t *testing.T) {
	table := &identity.Memory{}
	s := identity.NewStore(table, time.Now)
	secret := identity.NewToken(identity.KindPersonal)
	if inForce, unheardOf, err := s.LocalToken(t.Context(), secret); inForce || !unheardOf || err != nil {
		t.Errorf("before: %v %v %v", inForce, unheardOf, err)
	}
	var wg sync.WaitGroup
	for range 4 { // the same token by several processes is one token
		wg.Go(func() {
			if _, err := s.AddLocalToken(t.Context(), secret); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := s.Tokens(t.Context(), identity.Local)
	if err != nil || len(list) != 1 || list[0].Athlete != "0" || list[0].Toolset != identity.ToolsetFull || list[0].Confirm != identity.ConfirmAll || !list[0].OfServe() {
		t.Fatalf("%+v %v", list, err)
	}
	if inForce, unheardOf, err := s.LocalToken(t.Context(), secret); !inForce || unheardOf || err != nil {
		t.Errorf("in force: %v %v %v", inForce, unheardOf, err)
	}
	if err := s.RevokeToken(t.Context(), list[0].ID); err != nil {
		t.Fatal(err)
	}
	if found, err := table.Token(t.Context(), identity.HashOf(secret.Reveal())); err != nil || !errors.Is(found.Usable(time.Now()), identity.ErrRevoked) {
		t.Errorf("%+v %v", found, err)
	}
	if inForce, unheardOf, err := s.LocalToken(t.Context(), secret); inForce || unheardOf || err != nil {
		t.Errorf("revoked: %v %v %v", inForce, unheardOf, err)
	}
	if inForce, unheardOf, err := s.LocalToken(t.Context(), identity.NewToken(identity.KindPersonal)); inForce || unheardOf || err != nil {
		t.Errorf("a stranger's: %v %v %v", inForce, unheardOf, err)
	}
}

func TestNobodyEnrolsAsTheBuiltInUser(t *testing.T) {
	s := identity.NewStore(&identity.Memory{}, time.Now)
	for _, u := range []identity.User{{ID: "local", Athlete: "local"}, {ID: "local", Athlete: "i1"}, {ID: "local", Athlete: "0", Coach: true}, {ID: "0", Athlete: "0"}} {
		var wrong *identity.InputError
		if _, err := s.AddUser(t.Context(), u); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", u, err)
		}
	}
}
