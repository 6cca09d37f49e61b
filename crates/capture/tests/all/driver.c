/* Calls the functions of the capture header as a script on the standard input says: one call per
   line, numbers as the hexadecimal bits of f64. Valid C99 and C++11. */
#include "delassus_capture.h"

static double real(void) {
    unsigned long long bits = 0;
    double x;
    uint64_t word;
    if (scanf("%llx", &bits) != 1) exit(3);
    word = bits;
    memcpy(&x, &word, 8);
    return x;
}
static void reals(double *x, int n) {
    for (int i = 0; i < n; ++i) x[i] = real();
}
static long whole(void) {
    long x = 0;
    if (scanf("%ld", &x) != 1) exit(3);
    return x;
}
static uint64_t feature(void) {
    unsigned long long x = 0;
    if (scanf("%llu", &x) != 1) exit(3);
    return x;
}
static void word(char *text) {
    if (scanf("%255s", text) != 1) exit(3);
    for (; *text; ++text) if (*text == '~') *text = ' ';
}

static void add_row(delassus_capture *c) {
    long block = whole(), a = whole(), b;
    double ja[6], jb[6], v[4];
    reals(ja, 6);
    b = whole();
    reals(jb, 6);
    reals(v, 4);
    printf("%ld\n", delassus_row(c, block, a, ja, b, jb, v[0], v[1], v[2], v[3]));
}

static int other_call(delassus_capture *c, const char *call) {
    char path[256], name[256];
    double x[6];
    long at;
    int known;
    uint64_t id;
    if (!strcmp(call, "couple")) {
        long row = whole();
        at = whole();
        reals(x, 6);
        delassus_couple(c, row, at, x);
    } else if (!strcmp(call, "lever")) {
        at = whole();
        c->row[at].lever = real();
    } else if (!strcmp(call, "result")) {
        at = whole();
        c->row[at].value[3] = real();
    } else if (!strcmp(call, "solved")) {
        at = whole();
        reals(c->body[at].solved, 6);
        c->solved = 1;
    } else if (!strcmp(call, "write")) {
        word(path);
        word(name);
        at = delassus_write(c, path, name);
        printf("%ld %s\n", at, c->text);
    } else if (!strcmp(call, "read")) {
        word(path);
        at = delassus_read(c, path);
        printf("%ld %s\n", at, c->text);
    } else if (!strcmp(call, "impulse")) {
        id = feature();
        at = whole();
        x[0] = 0;
        known = delassus_impulse(c, id, (size_t)at, x);
        printf("%d %.17g\n", known, x[0]);
    } else {
        return 0;
    }
    return 1;
}

int main(void) {
    static char engine[256], version[256], pass[256], provenance[256], call[32];
    delassus_capture c;
    delassus_begin(&c, 1, 0);
    while (scanf("%31s", call) == 1) {
        if (!strcmp(call, "begin")) {
            double dt = real(), gravity = real();
            delassus_end(&c);
            delassus_begin(&c, dt, gravity);
        } else if (!strcmp(call, "about")) {
            word(engine); word(version); word(pass); word(provenance);
            c.engine = engine; c.version = version; c.pass = pass; c.provenance = provenance;
            c.step = feature(); c.substep = feature(); c.iterations = feature();
        } else if (!strcmp(call, "body")) {
            double mass[3], inertia[9], velocity[6];
            reals(mass, 3); reals(inertia, 9); reals(velocity, 6);
            printf("%ld\n", delassus_body(&c, mass, inertia, velocity));
        } else if (!strcmp(call, "block")) {
            long law = whole();
            double x[3];
            reals(x, 3);
            printf("%ld\n", delassus_block(&c, (int)law, x[0], x[1], x[2], feature()));
        } else if (!strcmp(call, "row")) {
            add_row(&c);
        } else if (!strcmp(call, "friction")) {
            long normal = whole(), law = whole();
            printf("%ld\n", delassus_friction(&c, normal, (int)law, real()));
        } else if (!other_call(&c, call)) {
            return 3;
        }
    }
    delassus_end(&c);
    return 0;
}
