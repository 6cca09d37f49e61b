/* Writes the problem that a physics engine solves as a Delassus snapshot (docs/capture.md). C99, C++11. MIT or Apache-2.0.
       v+ = v_f + M^-1 J^T lambda      w = J v+ + bias + R lambda      w > 0 separates
   SI units, impulses in N s. The first error is kept in `error` and `text`; calls after it do nothing, so it is
   enough to check delassus_write. One capture belongs to one thread. */
#ifndef DELASSUS_CAPTURE_H
#define DELASSUS_CAPTURE_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Laws of a block. Contacts: the normal row first, then tangents. Patch: k normals, two tangents, twist. */
enum { DELASSUS_EQUALITY, DELASSUS_BOUNDS, DELASSUS_FRICTIONLESS, DELASSUS_FIXED_BOX, DELASSUS_PYRAMID, DELASSUS_DISC,
       DELASSUS_COULOMB, DELASSUS_CONVEX_CONE, DELASSUS_PATCH };
enum { DELASSUS_OK, DELASSUS_MEMORY, DELASSUS_NUMBER, DELASSUS_SIZE, DELASSUS_FILE }; /* error codes */
#define DELASSUS_NONE (-1L) /* no second body */
/* Yours to set until the file is written: body[b].solved, the velocities after the pass, with capture.solved = 1;
   row[r].value[3], the impulse after the pass; row[r].lever of a patch's normal, its distance from the centre [m]. */
typedef struct { double inverse_mass[3], inertia[9], velocity[6], solved[6]; } dls_body;
typedef struct { int law, bodies; double lower, upper, mu; uint64_t feature; size_t dim, first; long body[4]; } dls_block;
typedef struct { size_t block; double j[4][6], value[4], lever; } dls_row; /* value: bias, R, start, result */
typedef struct {
    const char *engine, *version, *pass, *provenance;  /* yours to set: printable ASCII, no quotes, no backslash */
    uint64_t step, substep, iterations; int solved;    /* yours to set: iterations are those of this pass */
    double dt, gravity, *read; int error; char text[160];
    dls_body *body; dls_block *block; dls_row *row; size_t bodies, blocks, rows, *order, room[3];
} delassus_capture;
static inline int dls_need(delassus_capture *c, int holds, int code, const char *what, size_t index) {
    if (!c->error && !holds)
        c->error = code, snprintf(c->text, sizeof c->text, "%.120s (number %lu)", what, (unsigned long)index);
    return !c->error;
}
static inline int dls_finite(const double *x, size_t n) { while (n && isfinite(x[n - 1])) --n; return !n; }
static inline int dls_grow(delassus_capture *c, void **list, size_t *room, size_t n, size_t each) {
    size_t next = *room ? 2 * *room : 64; void *more;
    if (c->error || n < *room) return !c->error;
    more = next > SIZE_MAX / each ? NULL : realloc(*list, next * each);
    if (dls_need(c, more != NULL, DELASSUS_MEMORY, "no memory for the capture", n)) { *list = more; *room = next; }
    return !c->error;
}
/* Starts a problem. dt is the step that the impulses belong to: that of a substep if there are any. */
static inline void delassus_begin(delassus_capture *c, double dt, double gravity) {
    memset(c, 0, sizeof *c); c->engine = c->version = c->pass = c->provenance = ""; c->dt = dt; c->gravity = gravity;
    dls_need(c, isfinite(dt) && dt > 0 && isfinite(gravity) && gravity >= 0, DELASSUS_NUMBER, "dt or gravity is no size", 0);
}
static inline void delassus_end(delassus_capture *c) { /* frees the memory */
    free(c->body); free(c->block); free(c->row); free(c->order); free(c->read); memset(c, 0, sizeof *c);
}
/* Adds a body and returns its index: 1/m per world axis (zeros if nothing moves it), inverse inertia in world axes
   (its symmetric part is kept), linear and angular velocity after forces and before constraints. */
static inline long delassus_body(delassus_capture *c, const double inverse_mass[3], const double inverse_inertia[9],
                                 const double free_velocity[6]) {
    dls_body *b; int i, fits;
    if (!dls_grow(c, (void **)&c->body, &c->room[0], c->bodies, sizeof *b)) return -1;
    b = c->body + c->bodies; memset(b, 0, sizeof *b);
    memcpy(b->inverse_mass, inverse_mass, sizeof b->inverse_mass); memcpy(b->velocity, free_velocity, sizeof b->velocity);
    for (i = 0; i < 9; ++i) b->inertia[i] = 0.5 * (inverse_inertia[i] + inverse_inertia[3 * (i % 3) + i / 3]);
    fits = dls_finite((const double *)(const void *)b, sizeof *b / sizeof(double));
    for (i = 0; i < 3; ++i) fits = fits && b->inverse_mass[i] >= 0 && b->inertia[4 * i] >= 0;
    dls_need(c, fits, DELASSUS_NUMBER, "a body has a number that is not finite or a negative mass", c->bodies);
    return c->error ? -1 : (long)c->bodies++;
}
/* Adds a block and returns its index: lower and upper of bounds [N s], upper of a fixed box [N s], mu of other
   contacts, and an identifier that stays the same from step to step. */
static inline long delassus_block(delassus_capture *c, int law, double lower, double upper, double mu, uint64_t feature) {
    dls_block b = { law, 0, lower, upper, mu, feature, 0, 0, { 0, 0, 0, 0 } };
    if (dls_grow(c, (void **)&c->block, &c->room[1], c->blocks, sizeof b)) c->block[c->blocks++] = b;
    return c->error ? -1 : (long)c->blocks - 1;
}
/* Adds a body to a row: only a row with more than two bodies needs this call. A block has at most four bodies. */
static inline void delassus_couple(delassus_capture *c, long row, long body, const double j[6]) {
    dls_block *b; int k, i;
    if (!dls_need(c, row >= 0 && (size_t)row < c->rows && body >= 0 && (size_t)body < c->bodies, DELASSUS_SIZE,
                  "a row names a body that was not added", c->rows)) return;
    for (b = c->block + c->row[row].block, k = 0; k < b->bodies && b->body[k] != body; ++k) {}
    if (!dls_need(c, k < 4, DELASSUS_SIZE, "a block touches more than four bodies", c->row[row].block)) return;
    if (k == b->bodies) b->body[b->bodies++] = body;
    for (i = 0; i < 6; c->row[row].j[k][i] = j[i], ++i)
        dls_need(c, c->row[row].j[k][i] == 0 && isfinite(j[i]), DELASSUS_NUMBER,
                 "a row names a body twice, or a Jacobian entry is not finite", (size_t)row);
}
/* Adds a row to a block and returns its index: bodies a and b (or DELASSUS_NONE) with their Jacobians (linear,
   angular), the bias of this pass, R, and the impulses before and after the pass. */
static inline long delassus_row(delassus_capture *c, long block, long a, const double ja[6], long b, const double jb[6],
                                double bias, double compliance, double start, double result) {
    dls_row r = { (size_t)block, { { 0 } }, { bias, compliance, start, result }, 0 };
    if (!dls_grow(c, (void **)&c->row, &c->room[2], c->rows, sizeof r)
        || !dls_need(c, block >= 0 && (size_t)block < c->blocks, DELASSUS_SIZE, "a row has an unknown block", c->rows)
        || !dls_need(c, dls_finite(r.value, 4) && compliance >= 0, DELASSUS_NUMBER,
                     "a row has a number that is not finite or a negative compliance", c->rows)) return -1;
    c->block[block].dim++; c->row[c->rows++] = r;
    delassus_couple(c, (long)c->rows - 1, a, ja);
    if (b != DELASSUS_NONE) delassus_couple(c, (long)c->rows - 1, b, jb);
    return c->error ? -1 : (long)c->rows - 1;
}
/* For friction rows that name their normal row (findex): gives its block law and mu, and returns the block for them. */
static inline long delassus_friction(delassus_capture *c, long normal, int law, double mu) {
    int known = !c->error && normal >= 0 && (size_t)normal < c->rows; dls_block *b = known ? c->block + c->row[normal].block : NULL;
    if (!dls_need(c, known, DELASSUS_SIZE, "friction names an unknown normal row", c->rows)
        || !dls_need(c, b->dim == 1 || (b->law == law && b->mu == mu), DELASSUS_NUMBER,
                     "the friction rows of a contact differ in law or mu", c->row[normal].block)) return -1;
    return b->law = law, b->mu = mu, (long)c->row[normal].block;
}
/* Sizes and laws; then the order of the rows in the file: by block, and as they were added. */
static inline int dls_check(delassus_capture *c) {
    size_t i, at = 0; int n, x, y;
    dls_need(c, c->rows > 0, DELASSUS_SIZE, "the problem has no rows", 0);
    for (i = 0; i < c->bodies; ++i)
        dls_need(c, dls_finite(c->body[i].solved, 6), DELASSUS_NUMBER, "a solved velocity is not finite", i);
    for (i = 0; i < c->blocks; at += c->block[i++].dim) {
        dls_block *b = c->block + i; int bounds = b->law == DELASSUS_BOUNDS;
        size_t least = b->law == DELASSUS_PATCH ? 4 : b->law > DELASSUS_FRICTIONLESS ? 2 : 1;
        size_t most = b->law < DELASSUS_FRICTIONLESS || b->law == DELASSUS_PATCH ? SIZE_MAX : 3;
        double size = b->law == DELASSUS_FIXED_BOX ? b->upper : b->law >= DELASSUS_PYRAMID ? b->mu : 0;
        dls_need(c, b->law >= 0 && b->law <= DELASSUS_PATCH && b->dim >= least && b->dim <= most, DELASSUS_SIZE,
                 "a block has an unknown law, or a number of rows that its law does not allow", i);
        dls_need(c, isfinite(size) && size >= 0 && (!bounds || (b->lower <= b->upper && b->lower < HUGE_VAL
                 && b->upper > -HUGE_VAL)), DELASSUS_NUMBER, "a block has wrong bounds or a wrong mu", i);
        b->first = at;
    }
    for (i = 0; i < c->rows; ++i) {
        const dls_block *b = c->block + c->row[i].block; double a = c->row[i].value[1], lever = c->row[i].lever;
        for (n = 0; n < b->bodies; ++n) for (x = 0; x < 3; ++x) {
            const double *j = c->row[i].j[n]; const dls_body *m = c->body + b->body[n];
            a += j[x] * j[x] * m->inverse_mass[x];
            for (y = 0; y < 3; ++y) a += j[3 + x] * m->inertia[3 * x + y] * j[3 + y];
        }
        dls_need(c, isfinite(a) && a > 0, DELASSUS_NUMBER, "a row moves nothing: J M^-1 J^T + R is not positive", i);
        dls_need(c, isfinite(lever) && lever >= 0 && dls_finite(c->row[i].value, 4), DELASSUS_NUMBER,
                 "a row has a lever that is no length, or an impulse that is not finite", i);
    }
    if (c->error) return 0;
    free(c->order); c->order = (size_t *)malloc(c->rows * sizeof *c->order);
    if (!dls_need(c, c->order != NULL, DELASSUS_MEMORY, "no memory for the order of the rows", c->rows)) return 0;
    for (i = 0; i < c->rows; ++i) c->order[c->block[c->row[i].block].first++] = i;
    for (i = 0; i < c->blocks; ++i) c->block[i].first -= c->block[i].dim;
    return 1;
}
typedef struct { unsigned char *data; size_t size, room; int failed; } dls_bytes;
/* A file in the making: its JSON header, its arrays, and the SHA-256 (FIPS 180-4) of both so far. */
typedef struct { dls_bytes header, data; uint32_t h[8]; uint64_t size; unsigned char block[64]; } dls_file;
static inline uint32_t dls_turn(uint32_t x, int n) { return x >> n | x << (32 - n); }
static inline void dls_hash_block(dls_file *s) {
    static const uint32_t k[64] = {
0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2 };
    uint32_t w[64], v[8], t, u; int i;
    for (i = 0; i < 64; ++i) w[i / 4] = (i % 4 ? w[i / 4] << 8 : 0) | s->block[i];
    for (i = 16; i < 64; ++i) w[i] = w[i - 16] + w[i - 7] + (dls_turn(w[i - 15], 7) ^ dls_turn(w[i - 15], 18) ^ w[i - 15] >> 3)
                                   + (dls_turn(w[i - 2], 17) ^ dls_turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, s->h, sizeof v);
    for (i = 0; i < 64; ++i) {
        t = v[7] + k[i] + w[i] + ((v[4] & v[5]) ^ (~v[4] & v[6])) + (dls_turn(v[4], 6) ^ dls_turn(v[4], 11) ^ dls_turn(v[4], 25));
        u = ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])) + (dls_turn(v[0], 2) ^ dls_turn(v[0], 13) ^ dls_turn(v[0], 22));
        memmove(v + 1, v, 7 * sizeof *v); v[4] += t; v[0] = t + u;
    }
    for (i = 0; i < 8; ++i) s->h[i] += v[i];
}
static inline void dls_hash(dls_file *s, const void *data, size_t n) {
    for (const unsigned char *p = (const unsigned char *)data; n--; ++p)
        if (s->block[s->size & 63] = *p, !(++s->size & 63)) dls_hash_block(s);
}
static inline void dls_add(dls_bytes *b, const void *data, size_t n) {
    if (b->size + n > b->room && !b->failed) {
        size_t room = 2 * (b->size + n) + 1024; void *more = realloc(b->data, room);
        if (more) { b->data = (unsigned char *)more; b->room = room; } else b->failed = 1;
    }
    if (n && !b->failed) { memcpy(b->data + b->size, data, n); b->size += n; }
}
static inline void dls_number(dls_file *f, uint64_t x, size_t width, int stored) { /* little-endian everywhere */
    unsigned char b[8];
    for (int i = 0; i < 8; ++i) b[i] = (unsigned char)(x >> 8 * i);
    dls_hash(f, b, width); dls_add(&f->data, b, stored ? width : 0);
}
static inline void dls_real(dls_file *f, double x) { uint64_t bits; memcpy(&bits, &x, 8); dls_number(f, bits, 8, 1); }
static inline void dls_text(dls_file *f, const char *x) { dls_number(f, strlen(x), 8, 0); dls_hash(f, x, strlen(x)); }
static inline void dls_json(dls_file *f, const char *x) { dls_add(&f->header, x, strlen(x)); }
static inline void dls_meta(delassus_capture *c, dls_file *f, const char *key, const char *value) {
    for (const char *p = value; *p; ++p) dls_need(c, *p >= ' ' && *p <= '~' && *p != '"' && *p != '\\', DELASSUS_NUMBER,
        "a text has a character other than printable ASCII without quotes and backslash", (size_t)(p - value));
    dls_text(f, key); dls_text(f, value);
    dls_json(f, ",\""); dls_json(f, key); dls_json(f, "\":\""); dls_json(f, value); dls_json(f, "\"");
}
/* Begins an array of n, n * x or n * x * y numbers, which follow. */
static inline void dls_array(dls_file *f, const char *name, const char *type, size_t n, size_t x, size_t y) {
    size_t extent[3] = { n, x, y }, rank = y ? 3 : x ? 2 : 1, size = type[1] == '8' ? 1 : type[1] == '3' ? 4 : 8, k; char text[128];
    dls_text(f, name); dls_text(f, type); dls_number(f, rank, 8, 0);
    snprintf(text, sizeof text, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%lu", name, type, (unsigned long)n);
    for (k = 0; k < rank; size *= extent[k++]) {
        if (k) snprintf(text, sizeof text, ",%lu", (unsigned long)extent[k]);
        dls_json(f, text); dls_number(f, extent[k], 8, 0);
    }
    dls_number(f, size, 8, 0);
    snprintf(text, sizeof text, "],\"data_offsets\":[%lu,%lu]}", (unsigned long)f->data.size, (unsigned long)(f->data.size + size));
    dls_json(f, text);
}
static inline void dls_rows(const delassus_capture *c, dls_file *f, const char *name, int value) {
    dls_array(f, name, "F64", c->rows, 0, 0);
    for (size_t i = 0; i < c->rows; ++i) dls_real(f, c->row[c->order[i]].value[value]);
}
static inline void dls_bodies(const delassus_capture *c, dls_file *f, const char *name, size_t at, size_t x, size_t y) {
    dls_array(f, name, "F64", c->bodies, x, y);
    for (size_t i = 0, k; i < c->bodies; ++i) for (k = 0; k < x * (y ? y : 1); ++k)
        dls_real(f, ((const double *)(const void *)(c->body + i))[at + k]);
}
static inline void dls_arrays(const delassus_capture *c, dls_file *f) { /* by name: the checksum asks for this order */
    size_t n = c->blocks, i, r, m, levers = 0, bodies = 0, entries = 0; const dls_block *b = c->block; int k;
    for (i = 0; i < n; levers += b[i].law == DELASSUS_PATCH ? b[i].dim - 3 : 0, bodies += (size_t)b[i].bodies, ++i)
        entries += (size_t)b[i].bodies * b[i].dim;
    for (dls_array(f, "blocks/activity", "U8", n, 0, 0), i = 0; i < n; ++i) dls_number(f, 0, 1, 1);
    for (dls_array(f, "blocks/dim", "U64", n, 0, 0), i = 0; i < n; ++i) dls_number(f, b[i].dim, 8, 1);
    for (dls_array(f, "blocks/feature", "U64", n, 0, 0), i = 0; i < n; ++i) dls_number(f, b[i].feature, 8, 1);
    for (dls_array(f, "blocks/law", "U8", n, 0, 0), i = 0; i < n; ++i) dls_number(f, (uint64_t)b[i].law, 1, 1);
    for (dls_array(f, "blocks/levers", "F64", levers, 0, 0), i = 0; i < n; ++i)
        for (r = 0; b[i].law == DELASSUS_PATCH && r + 3 < b[i].dim; ++r) dls_real(f, c->row[c->order[b[i].first + r]].lever);
    for (dls_array(f, "blocks/parameters", "F64", n, 2, 0), i = 0; i < n; ++i) {
        k = b[i].law;
        dls_real(f, k == DELASSUS_BOUNDS ? b[i].lower : k == DELASSUS_FIXED_BOX ? b[i].upper : k < DELASSUS_PYRAMID ? 0 : b[i].mu);
        dls_real(f, k == DELASSUS_BOUNDS ? b[i].upper : 0);
    }
    dls_bodies(c, f, "bodies/free_velocity", 12, 6, 0);
    dls_bodies(c, f, "bodies/inverse_inertia", 3, 3, 3);
    dls_bodies(c, f, "bodies/inverse_mass", 0, 3, 0);
    dls_rows(c, f, "captured/impulses", 3);
    dls_array(f, "captured/iterations", "U64", 1, 0, 0); dls_number(f, c->iterations, 8, 1);
    if (c->solved) dls_bodies(c, f, "captured/velocities", 18, 6, 0);
    for (dls_array(f, "jacobian/bodies", "U32", bodies, 0, 0), i = 0; i < n; ++i)
        for (k = 0; k < b[i].bodies; ++k) dls_number(f, (uint64_t)b[i].body[k], 4, 1);
    for (dls_array(f, "jacobian/entries", "F64", entries, 6, 0), i = 0; i < n; ++i) for (r = 0; r < b[i].dim; ++r)
        for (m = 0; m < 6 * (size_t)b[i].bodies; ++m) dls_real(f, c->row[c->order[b[i].first + r]].j[m / 6][m % 6]);
    for (k = 0; k < 2; ++k) {
        dls_array(f, k ? "jacobian/first_entry" : "jacobian/first_body", "U64", n + 1, 0, 0);
        for (dls_number(f, 0, 8, 1), r = i = 0; i < n; ++i) dls_number(f, r += (size_t)b[i].bodies * (k ? b[i].dim : 1), 8, 1);
    }
    dls_rows(c, f, "rows/bias", 0); dls_rows(c, f, "rows/compliance", 1);
    dls_array(f, "step", "F64", 2, 0, 0); dls_real(f, c->dt); dls_real(f, c->gravity);
    dls_rows(c, f, "warm_start/impulses", 2);
}
static inline void dls_close(dls_file *f) { /* pads the header, and puts its length and the checksum in */
    uint64_t bits = 8 * f->size; char text[9]; int k;
    for (dls_json(f, "}"); !f->header.failed && f->header.size & 7;) dls_json(f, " ");
    for (dls_hash(f, "\x80", 1); (f->size & 63) != 56;) dls_hash(f, "", 1);
    for (k = 56; k >= 0; k -= 8) { unsigned char b = (unsigned char)(bits >> k); dls_hash(f, &b, 1); }
    for (k = 0; k < 8 && !f->header.failed; ++k) {
        snprintf(text, sizeof text, "%08lx", (unsigned long)f->h[k]); memcpy(f->header.data + 44 + 8 * k, text, 8);
        f->header.data[k] = (unsigned char)((uint64_t)(f->header.size - 8) >> 8 * k);
    }
}
/* Writes the file, complete or not at all: PATH.part takes the name. Returns the code of the first error. */
static inline int delassus_write(delassus_capture *c, const char *path, const char *name) {
    dls_file f = { { NULL, 0, 0, 0 }, { NULL, 0, 0, 0 }, { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
        0x9b05688c, 0x1f83d9ab, 0x5be0cd19 }, 0, { 0 } };
    char number[2][24], *part = (char *)malloc(strlen(path) + 6); FILE *out; int done;
    snprintf(number[0], 24, "%llu", (unsigned long long)c->step); snprintf(number[1], 24, "%llu", (unsigned long long)c->substep);
    dls_json(&f, "        {\"__metadata__\":{\"checksum\":\"sha256:0123456701234567012345670123456701234567012345670123456701234567\"");
    dls_meta(c, &f, "captured_engine", c->engine); dls_meta(c, &f, "captured_pass", c->pass);
    dls_meta(c, &f, "captured_step", number[0]); dls_meta(c, &f, "captured_substep", number[1]);
    dls_meta(c, &f, "captured_version", c->version); dls_meta(c, &f, "format", "delassus-problem");
    dls_meta(c, &f, "laws", "equality bounds frictionless fixed-box pyramid disc coulomb convex-cone patch");
    dls_meta(c, &f, "name", name); dls_meta(c, &f, "operator", "bodies");
    dls_meta(c, &f, "provenance", c->provenance); dls_meta(c, &f, "version", "1"); dls_json(&f, "}");
    if (dls_check(c)) { dls_arrays(c, &f); dls_close(&f); }
    if (dls_need(c, part && !f.header.failed && !f.data.failed, DELASSUS_MEMORY, "no memory for the file", c->rows)) {
        sprintf(part, "%s.part", path); out = fopen(part, "wb");
        done = out && fwrite(f.header.data, 1, f.header.size, out) == f.header.size
            && fwrite(f.data.data, 1, f.data.size, out) == f.data.size;
        done = out && !fclose(out) && done;
        if (done = done && !rename(part, path), out && !done) remove(part);
        dls_need(c, done, DELASSUS_FILE, "the file cannot be written", 0);
    }
    free(part); free(f.header.data); free(f.data.data);
    return c->error;
}
/* Reads the CSV of `delassus solve --save`, or little-endian f64, one per row of the file. Returns the first error. */
static inline int delassus_read(delassus_capture *c, const char *path) {
    char line[128]; unsigned char raw[8]; unsigned long row; size_t i = 0; int k; uint64_t bits; FILE *f;
    if (!dls_check(c)) return c->error;
    free(c->read); c->read = (double *)malloc(c->rows * sizeof *c->read);
    if (!dls_need(c, c->read != NULL, DELASSUS_MEMORY, "no memory for the impulses", c->rows)) return c->error;
    if (f = fopen(path, "rb"), !dls_need(c, f != NULL, DELASSUS_FILE, "the impulses cannot be opened", 0)) return c->error;
    if (fread(line, 1, 4, f) == 4 && !memcmp(line, "row,", 4) && fgets(line, sizeof line, f))
        while (i < c->rows && fgets(line, sizeof line, f) && sscanf(line, "%lu,%lf", &row, c->read + i) == 2 && row == i) ++i;
    else for (rewind(f); i < c->rows && fread(raw, 1, 8, f) == 8; ++i) {
        for (bits = 0, k = 8; k--;) bits = bits << 8 | raw[k];
        memcpy(c->read + i, &bits, 8);
    }
    dls_need(c, i == c->rows && fgetc(f) == EOF && dls_finite(c->read, i), DELASSUS_SIZE, "impulses do not fit the rows", i);
    fclose(f);
    return c->error;
}
/* The impulse that was read for a row of the block with this feature; returns 0 if there is none or if it is not unique. */
static inline int delassus_impulse(const delassus_capture *c, uint64_t feature, size_t row, double *impulse) {
    size_t i, found = 0;
    for (i = 0; i < c->blocks && c->read && !c->error; ++i) if (c->block[i].feature == feature && row < c->block[i].dim && ++found)
        *impulse = c->read[c->block[i].first + row];
    return found == 1;
}
#endif
