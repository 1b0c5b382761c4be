package web

import (
	"errors"
	"reflect"
	"time"
)

// Zone returns a time zone by its name in the IANA database. An empty name is UTC.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // That of the server, which means nothing to the viewer.
		return nil, errors.New("unknown time zone: write a name such as Europe/Berlin or UTC")
	}
	return zone, nil
}

// inZone returns a view with all its times in the time zone of its page.
func inZone[V any](frame Frame, view V) V {
	zone, err := Zone(frame.Zone)
	if frame.Zone == "" || err != nil {
		return view
	}
	move(reflect.ValueOf(&view).Elem(), zone)
	return view
}

func move(v reflect.Value, zone *time.Location) {
	switch v.Kind() {
	case reflect.Struct:
		if at, is := reflect.TypeAssert[time.Time](v); is {
			if v.CanSet() && known(at) {
				v.Set(reflect.ValueOf(at.In(zone)))
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				move(v.Field(i), zone)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			move(v.Index(i), zone)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			move(v.Elem(), zone)
		}
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			held := reflect.New(v.Elem().Type()).Elem()
			held.Set(v.Elem())
			move(held, zone)
			v.Set(held)
		}
	default:
	}
}

// momentText writes a time with its zone.
func momentText(t time.Time) string {
	if t.Location() == time.Local {
		t = t.UTC()
	}
	return t.Format("2006-01-02 15:04:05 MST")
}
