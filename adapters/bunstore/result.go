package bunstore

import (
	"database/sql"
	"errors"
)

// Found reports whether a query that reads one row found it. err is the result of the query's Scan.
func Found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// OrNil returns the row that a query has read, or nil if it found none. err is the result of the query's Scan.
func OrNil[R any](row *R, err error) (*R, error) {
	if found, err := Found(err); !found {
		return nil, err
	}
	return row, nil
}

// IgnoreNoRows returns the error of a query that reads one value, or nil if the query found none, so that the value
// keeps its zero.
func IgnoreNoRows(err error) error {
	_, err = Found(err)
	return err
}

// Affected returns the number of rows that a statement has changed.
func Affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Changed reports whether a statement has changed any row.
func Changed(r sql.Result, err error) (bool, error) {
	n, err := Affected(r, err)
	return n > 0, err
}
