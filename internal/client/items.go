package client

import "iter"

// Collect returns all items of a list, or the first error.
func Collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// Items returns the items of a list that was read as a whole, or its error.
func Items[T any](all []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err != nil {
			yield(*new(T), err)
			return
		}
		for _, item := range all {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Filter returns the items that keep accepts, and all errors.
func Filter[T any](items iter.Seq2[T, error], keep func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range items {
			if (err != nil || keep(item)) && !yield(item, err) {
				return
			}
		}
	}
}

// Find returns the item that isIt accepts; nil without an error if the list has none.
func Find[T any](list iter.Seq2[T, error], isIt func(T) bool) (*T, error) {
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		if isIt(item) {
			return &item, nil
		}
	}
	return nil, nil
}

// fromList is Find for an object that has no operation of its own. notFound is the error if the list doesn't have it.
func fromList[T any](list iter.Seq2[T, error], isIt func(T) bool, notFound error) (*T, error) {
	found, err := Find(list, isIt)
	if err == nil && found == nil {
		err = notFound
	}
	return found, err
}
