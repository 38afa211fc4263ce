package mongostore

import (
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
)

// codeTooLarge is BSONObjectTooLarge.
const codeTooLarge = 10334

// permanent are the codes of a single write with which its document refuses it, now and always. All that is not listed
// is tried again: an unknown code may be anything, on DocumentDB also a deadlock (16908292) or a lost PostgreSQL (1).
var permanent = map[int]bool{
	14:           true, // TypeMismatch: "days.20" is a string
	28:           true, // PathNotViable: "days" is a number
	40:           true, // ConflictingUpdateOperators, on DocumentDB also a path through a number
	52:           true, // DollarPrefixedFieldName
	55:           true, // InvalidDBRef
	56:           true, // EmptyFieldName
	57:           true, // DottedFieldName
	66:           true, // ImmutableField
	121:          true, // DocumentValidationFailure: somebody gave the collection a validator
	codeTooLarge: true,
	17280:        true, // KeyTooLong
	17419:        true, // the document would become too large
	17420:        true, // the same, on insert
}

// isPermanent judges the error of one write. A counter at its limit has code 2 (BadValue), which may be anything else
// too, so it is told by its text.
func isPermanent(code int, message string) bool {
	return permanent[code] || strings.Contains(message, "Failed to apply $inc operations") || // MongoDB
		strings.Contains(message, "Unable to perform $inc") // DocumentDB
}

// isTooLarge reports whether a whole bulk was refused for its size.
func isTooLarge(err error) bool {
	if err == nil {
		return false
	}
	var partial mongo.BulkWriteException
	if errors.As(err, &partial) {
		return false
	}
	return errors.Is(err, driver.ErrDocumentTooLarge) || hasCode(err, codeTooLarge) ||
		hasCode(err, codeInvalidLength) && strings.Contains(err.Error(), "atch size")
}

// codeInvalidLength is what DocumentDB says of more than 25,000 operations.
const codeInvalidLength = 16
