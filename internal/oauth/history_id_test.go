package oauth_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"intervals-mcp/internal/audit"
)

// narrowLog refuses keys as DynamoDB does: with more than 2048 bytes.
type narrowLog struct{ audit.Log }

func (l narrowLog) Change(ctx context.Context, user string, id audit.ID) ([]audit.Item, error) {
	if len(user) > 2000 {
		return nil, errors.New("ValidationException: the size of the key")
	}
	return l.Log.Change(ctx, user, id)
}

func TestAnAddressOfTheHistoryThatNamesNoUserIsNoFaultOfTheStore(t *testing.T) {
	w := newTown(t, func(w *town) { w.log = narrowLog{w.log} })
	b := w.browser().signIn(keyOf1)
	b.want(b.get("/account/history/"+strings.Repeat("a", 3000)+":dn8ulmw12px6-a7cgkzyu2iwe"), 404)
}
