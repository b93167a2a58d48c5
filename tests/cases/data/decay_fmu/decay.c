/* A Functional Mock-up Unit (FMI 2.0, co-simulation) of exponential decay: level' = -rate level, solved exactly. */
#include <math.h>
#include <stdlib.h>

typedef struct {
    double value[2]; /* 0: rate, 1: level */
} Unit;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const names[]) { return 0; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *where, const void *callbacks, int visible,
                      int logging) {
    Unit *unit = calloc(1, sizeof(Unit));
    unit->value[0] = 0.5;
    unit->value[1] = 1.0;
    return unit;
}

void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int known, double tolerance, double start, int ends, double stop) { return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *c) { return 0; }
int fmi2Terminate(void *c) { return 0; }
int fmi2Reset(void *c) { return 0; }

int fmi2GetReal(void *c, const unsigned int at[], size_t n, double values[]) {
    for (size_t i = 0; i < n; i++) values[i] = ((Unit *)c)->value[at[i]];
    return 0;
}

int fmi2SetReal(void *c, const unsigned int at[], size_t n, const double values[]) {
    for (size_t i = 0; i < n; i++) ((Unit *)c)->value[at[i]] = values[i];
    return 0;
}

int fmi2DoStep(void *c, double time, double step, int final) {
    Unit *unit = c;
    unit->value[1] *= exp(-unit->value[0] * step);
    return 0;
}

/* The rest of the interface: not supported (fmi2Error). */
#define NOT_SUPPORTED(name) \
    int name(void) { return 3; }
NOT_SUPPORTED(fmi2GetInteger)
NOT_SUPPORTED(fmi2GetBoolean)
NOT_SUPPORTED(fmi2GetString)
NOT_SUPPORTED(fmi2SetInteger)
NOT_SUPPORTED(fmi2SetBoolean)
NOT_SUPPORTED(fmi2SetString)
NOT_SUPPORTED(fmi2GetFMUstate)
NOT_SUPPORTED(fmi2SetFMUstate)
NOT_SUPPORTED(fmi2FreeFMUstate)
NOT_SUPPORTED(fmi2SerializedFMUstateSize)
NOT_SUPPORTED(fmi2SerializeFMUstate)
NOT_SUPPORTED(fmi2DeSerializeFMUstate)
NOT_SUPPORTED(fmi2GetDirectionalDerivative)
NOT_SUPPORTED(fmi2SetRealInputDerivatives)
NOT_SUPPORTED(fmi2GetRealOutputDerivatives)
NOT_SUPPORTED(fmi2CancelStep)
NOT_SUPPORTED(fmi2GetStatus)
NOT_SUPPORTED(fmi2GetRealStatus)
NOT_SUPPORTED(fmi2GetIntegerStatus)
NOT_SUPPORTED(fmi2GetBooleanStatus)
NOT_SUPPORTED(fmi2GetStringStatus)
