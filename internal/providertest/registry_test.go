package providertest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

// registryHost is the registry of a provider that isn't ours.
const registryHost = "registry.example.com"

// otherRegistry serves a program as version 1.2.3 of a provider, such as acme/other, by the protocol of registries, and returns the URL of
// its service. The checksums are signed, because CLIs refuse others.
func otherRegistry(t *testing.T, provider string, content []byte) string {
	t.Helper()
	name := "terraform-provider-" + path.Base(provider)
	archive := []byte(zipped(t, program(name+"_v1.2.3", content)))
	filename := name + "_1.2.3_" + setupPlatform + ".zip"
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	sums := []byte(sum + "  " + filename + "\n")

	signer, err := openpgp.NewEntity("Acme", "", "acme@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	var signature, key bytes.Buffer
	if err := openpgp.DetachSign(&signature, signer, bytes.NewReader(sums), nil); err != nil {
		t.Fatal(err)
	}
	armored, err := armor.Encode(&key, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := signer.Serialize(armored); err != nil {
		t.Fatal(err)
	}
	if err := armored.Close(); err != nil {
		t.Fatal(err)
	}

	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	serve := func(at string, body []byte) {
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	}
	answer := func(at string, body any) {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		serve(at, encoded)
	}
	type object = map[string]any
	platform := object{"os": runtime.GOOS, "arch": runtime.GOARCH}
	answer("/v1/providers/"+provider+"/versions", object{
		"versions": []object{{"version": "1.2.3", "protocols": []string{"6.0"}, "platforms": []object{platform}}},
	})
	answer("/v1/providers/"+provider+"/1.2.3/download/"+runtime.GOOS+"/"+runtime.GOARCH, object{
		"os": runtime.GOOS, "arch": runtime.GOARCH, "protocols": []string{"6.0"}, "filename": filename, "shasum": sum,
		"download_url": server.URL + "/" + filename, "shasums_url": server.URL + "/sums", "shasums_signature_url": server.URL + "/sums.sig",
		"signing_keys": object{"gpg_public_keys": []object{{
			"key_id": signer.PrimaryKey.KeyIdString(), "ascii_armor": key.String(),
		}}},
	})
	serve("/"+filename, archive)
	serve("/sums", sums)
	serve("/sums.sig", signature.Bytes())
	return server.URL + "/v1/providers/"
}
