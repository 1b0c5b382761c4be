package api

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// CPU is a number of cores. In the neutral specification it is an integer, but installations accept fractions with one
// decimal; the installation decides.
type CPU float64

// ResourceSpec is the compute of an external_container deployment. Every field is nullable; a patch replaces all of them.
// The names contain the units: cores, MB, GiB.
type ResourceSpec struct {
	MinScale      *int64 `json:"min_scale,omitzero"`
	MaxScale      *int64 `json:"max_scale,omitzero"`
	CPU           *CPU   `json:"cpu,omitzero"`
	CPULimit      *CPU   `json:"cpu_limit,omitzero"`       // Default: 2 × cpu.
	MemoryMB      *int64 `json:"memory_mb,omitzero"`       //
	MemoryLimitMB *int64 `json:"memory_limit_mb,omitzero"` // Default: 2 × memory_mb.

	QueueMinScale      *int64 `json:"queue_min_scale,omitzero"`       // Default: min_scale.
	QueueMaxScale      *int64 `json:"queue_max_scale,omitzero"`       // Default: max_scale.
	QueueCPU           *CPU   `json:"queue_cpu,omitzero"`             // Default: cpu.
	QueueCPULimit      *CPU   `json:"queue_cpu_limit,omitzero"`       // Default: 2 × queue_cpu.
	QueueMemoryMB      *int64 `json:"queue_memory_mb,omitzero"`       // Default: memory_mb.
	QueueMemoryLimitMB *int64 `json:"queue_memory_limit_mb,omitzero"` // Default: 2 × queue_memory_mb.

	// The service marks the orchestrator_ and executor_ fields "do not use".
	OrchestratorCPU           *CPU   `json:"orchestrator_cpu,omitzero"`
	OrchestratorCPULimit      *CPU   `json:"orchestrator_cpu_limit,omitzero"`
	OrchestratorMemoryMB      *int64 `json:"orchestrator_memory_mb,omitzero"`
	OrchestratorMemoryLimitMB *int64 `json:"orchestrator_memory_limit_mb,omitzero"`
	OrchestratorMinScale      *int64 `json:"orchestrator_min_scale,omitzero"`
	OrchestratorMaxScale      *int64 `json:"orchestrator_max_scale,omitzero"`
	ExecutorCPU               *CPU   `json:"executor_cpu,omitzero"`
	ExecutorCPULimit          *CPU   `json:"executor_cpu_limit,omitzero"`
	ExecutorMemoryMB          *int64 `json:"executor_memory_mb,omitzero"`
	ExecutorMemoryLimitMB     *int64 `json:"executor_memory_limit_mb,omitzero"`

	CacheMemoryMB *int64 `json:"cache_memory_mb,omitzero"`

	CacheCPU           *CPU   `json:"cache_cpu,omitzero" dialect:"extended"`
	CacheCPULimit      *CPU   `json:"cache_cpu_limit,omitzero" dialect:"extended"`       // Default: 2 × cache_cpu.
	CacheMemoryLimitMB *int64 `json:"cache_memory_limit_mb,omitzero" dialect:"extended"` // Default: cache_memory_mb.

	// The core API process, if it runs beside the main container.
	CoreCPU           *CPU   `json:"core_cpu,omitzero" dialect:"extended"`
	CoreCPULimit      *CPU   `json:"core_cpu_limit,omitzero" dialect:"extended"` // Default: 2 × core_cpu.
	CoreMemoryMB      *int64 `json:"core_memory_mb,omitzero" dialect:"extended"`
	CoreMemoryLimitMB *int64 `json:"core_memory_limit_mb,omitzero" dialect:"extended"`

	Labels             map[string]string      `json:"labels,omitzero"`
	Annotations        map[string]string      `json:"annotations,omitzero"`
	ServiceAccountName *string                `json:"service_account_name,omitzero"`
	ImagePullSecrets   []LocalObjectReference `json:"image_pull_secrets,omitzero"`
	Volumes            []Volume               `json:"volumes,omitzero"`
	VolumeMounts       []VolumeMount          `json:"volume_mounts,omitzero"`
	InitContainers     []Container            `json:"init_containers,omitzero"`
	Sidecars           []Container            `json:"sidecars,omitzero"`

	// In the specification, the database fields are numbers, including fractions.
	DBCPU            *float64 `json:"db_cpu,omitzero"`
	DBCPULimit       *float64 `json:"db_cpu_limit,omitzero"` // Default: 2 × db_cpu.
	DBMemoryMB       *int64   `json:"db_memory_mb,omitzero"`
	DBMemoryLimitMB  *int64   `json:"db_memory_limit_mb,omitzero"` // Default: 2 × db_memory_mb.
	DBStorageGi      *int64   `json:"db_storage_gi,omitzero"`
	DBMaxConnections *int64   `json:"db_max_connections,omitzero"`

	// Extra has fields from a newer service that this package doesn't know, so that they aren't lost when a spec is read,
	// changed and written back.
	Extra Object `json:"-"`
}

// knownResourceSpec is ResourceSpec without its JSON methods.
type knownResourceSpec ResourceSpec

var resourceSpecFields = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for field := range reflect.TypeFor[ResourceSpec]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
})

// UnmarshalJSON keeps unknown fields in Extra.
func (s *ResourceSpec) UnmarshalJSON(data []byte) error {
	*s = ResourceSpec{}
	if err := json.Unmarshal(data, (*knownResourceSpec)(s)); err != nil {
		return err
	}
	if err := json.Unmarshal(data, &s.Extra); err != nil {
		return err
	}
	maps.DeleteFunc(s.Extra, func(name string, value json.RawMessage) bool {
		return resourceSpecFields()[name] || string(value) == "null"
	})
	if len(s.Extra) == 0 {
		s.Extra = nil
	}
	return nil
}

// MarshalJSON writes the fields of Extra with the known ones, which take precedence.
func (s ResourceSpec) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(knownResourceSpec(s))
	if err != nil || len(s.Extra) == 0 {
		return data, err
	}
	all := maps.Clone(s.Extra)
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// DerivedField is a numeric field of ResourceSpec that the service derives if it is absent: Factor times From.
type DerivedField struct {
	Field, From string
	Factor      int64
}

// DerivedFields are the documented defaults of ResourceSpec, each after those that it is derived from.
var DerivedFields = []DerivedField{
	{"cpu_limit", "cpu", 2},
	{"memory_limit_mb", "memory_mb", 2},
	{"queue_min_scale", "min_scale", 1},
	{"queue_max_scale", "max_scale", 1},
	{"queue_cpu", "cpu", 1},
	{"queue_cpu_limit", "queue_cpu", 2},
	{"queue_memory_mb", "memory_mb", 1},
	{"queue_memory_limit_mb", "queue_memory_mb", 2},
	{"db_cpu_limit", "db_cpu", 2},
	{"db_memory_limit_mb", "db_memory_mb", 2},
}

// ExtendedDerivedFields are those of fields that only extended dialects have.
var ExtendedDerivedFields = []DerivedField{
	{"cache_cpu_limit", "cache_cpu", 2},
	{"cache_memory_limit_mb", "cache_memory_mb", 1},
	{"core_cpu_limit", "core_cpu", 2},
}

// CPUBound is what a dialect with FractionalCPU accepts in a field: at least Least, and at most Most unless that is zero. A value
// with a maximum is rounded to one decimal.
type CPUBound struct{ Least, Most CPU }

// CPUBounds are the bounds by field. Fields of the database and deprecated ones have none.
var CPUBounds = map[string]CPUBound{
	"cpu": {0.1, 8}, "cpu_limit": {0.1, 16},
	"queue_cpu": {0.1, 8}, "queue_cpu_limit": {0.1, 16},
	"cache_cpu": {0.1, 8}, "cache_cpu_limit": {0.1, 16},
	"core_cpu": {0.1, 0}, "core_cpu_limit": {0.1, 0},
}

// MaxCount is the maximum of every integer in a ResourceSpec, and of whole cores. The specification has no maximum; this is the
// largest number of replicas that Kubernetes can count, and far beyond any sensible amount of memory in MB.
const MaxCount = math.MaxInt32

// Rounded returns the spec as the service keeps it.
func (s ResourceSpec) Rounded() ResourceSpec {
	fields := reflect.ValueOf(&s).Elem()
	for i := range fields.NumField() {
		cores, is := reflect.TypeAssert[*CPU](fields.Field(i))
		if name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ","); !is || cores == nil || CPUBounds[name].Most == 0 {
			continue
		}
		if rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(*cores), 'f', 1, 64), 64); err == nil { // It is in range.
			fields.Field(i).Set(reflect.ValueOf(new(CPU(rounded))))
		}
	}
	return s
}

// Object is a free-form JSON object that is passed on unchanged; numbers keep all digits.
type Object map[string]json.RawMessage

// LocalObjectReference names an object in the deployment's namespace.
type LocalObjectReference struct {
	Name string `json:"name"`
}

// Volume is a volume of the deployment's pod. At most one of the sources is set.
type Volume struct {
	// Name is a DNS label, unique in the pod.
	Name                  string `json:"name"`
	ConfigMap             Object `json:"configMap,omitzero"`
	Secret                Object `json:"secret,omitzero"`
	EmptyDir              Object `json:"emptyDir,omitzero"`
	PersistentVolumeClaim Object `json:"persistentVolumeClaim,omitzero"`
	NFS                   Object `json:"nfs,omitzero"`
	Projected             Object `json:"projected,omitzero"`
	DownwardAPI           Object `json:"downwardAPI,omitzero"`
	CSI                   Object `json:"csi,omitzero"`
}

// VolumeMount mounts a Volume into a container.
type VolumeMount struct {
	// Name is the name of a Volume of the same spec.
	Name             string  `json:"name"`
	MountPath        string  `json:"mountPath"`
	SubPath          *string `json:"subPath,omitzero"`
	MountPropagation *string `json:"mountPropagation,omitzero"`
	ReadOnly         *bool   `json:"readOnly,omitzero"`
	SubPathExpr      *string `json:"subPathExpr,omitzero"`
}

// Container is an init container or a sidecar.
type Container struct {
	// Name is a DNS label.
	Name  string `json:"name"`
	Image string `json:"image"`
	// ImagePullPolicy is Always, Never or IfNotPresent.
	ImagePullPolicy *string               `json:"imagePullPolicy,omitzero"`
	Command         []string              `json:"command,omitzero"`
	Args            []string              `json:"args,omitzero"`
	WorkingDir      *string               `json:"workingDir,omitzero"`
	Env             []EnvVar              `json:"env,omitzero"`
	EnvFrom         []Object              `json:"envFrom,omitzero"`
	Resources       *ResourceRequirements `json:"resources,omitzero"`
	VolumeMounts    []VolumeMount         `json:"volumeMounts,omitzero"`
	SecurityContext Object                `json:"securityContext,omitzero"`
	// RestartPolicy is Always or OnFailure; sidecars only.
	RestartPolicy *string `json:"restartPolicy,omitzero"`
}

// EnvVar is an environment variable of a Container.
type EnvVar struct {
	// Name is a C identifier.
	Name string `json:"name"`
	// Value is empty when absent.
	Value *string `json:"value,omitzero"`
	// ValueFrom excludes a non-empty Value.
	ValueFrom Object `json:"valueFrom,omitzero"`
}

// ResourceRequirements are Kubernetes quantities by resource name.
type ResourceRequirements struct {
	Limits   map[string]string `json:"limits,omitzero"`
	Requests map[string]string `json:"requests,omitzero"`
}
