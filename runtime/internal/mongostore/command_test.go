package mongostore

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// B148: no documents in logs, also where the server puts them into an error.
func TestRefusedCommandIsNotPartOfItsError(t *testing.T) {
	t.Parallel()
	got := withoutCommand(mongo.CommandError{
		Code: unauthorized, Name: "Unauthorized",
		Message: `not authorized on shop to execute command { update: "_fw_dlq", q: "secret" }`,
	})
	if strings.Contains(got.Error(), "secret") || !strings.Contains(got.Error(), "not authorized") {
		t.Errorf("error: %v", got)
	}
	if !hasCode(got, unauthorized) {
		t.Errorf("%v has lost its code", got)
	}
	other := errors.New("no primary")
	if got := withoutCommand(other); got != other {
		t.Errorf("got %v, want the error as it was", got)
	}
}
