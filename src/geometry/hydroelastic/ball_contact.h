// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Balls in closed form: the contact surface of a ball with a plane, a flat face or another ball is
// a cap around the line of their centres, rigid or compliant alike.
#pragma once

#include <vector>

#include "geometry/hydroelastic/surface_points.h"

namespace cenic {

// Appends the points of M and N, in M's frame, when one is a ball and the other is a ball, a half
// space or a convex solid of which it touches one face away from the face's rim. False: not such a
// pair, nothing done. With a margin, m, points across gaps up to it, too.
bool add_ball_points(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                     double margin, std::vector<SurfacePoint>* points);

// Force, stiffness and size of such a cap. `depth` is the overlap along the line of centres.
struct BallCap {
  double force = 0;      // N
  double stiffness = 0;  // N/m
  double energy = 0;     // J
  double disc = 0;       // radius of the circle where the surfaces meet, m
  double height = 0;     // from the ball's centre to the cap, m
};

// A ball of radius R whose pressure falls from E at the centre, against
//   another ball (distance = of the centres), or a plane (distance = of the ball's centre from it).
// Softness: depth for each pascal, R/E of a ball, H/E of a plane; 0: rigid.
struct BallPair {
  double R1 = 0, softness1 = 0;
  double R2 = 0, softness2 = 0;  // R2 = 0: a plane
  double distance = 0;
  double depth() const { return R1 + R2 - distance; }
};
BallCap calc_ball_cap(const BallPair& pair);

// The pair of two solids that are a ball and a ball or half space, if they are.
bool make_ball_pair(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                    BallPair* pair);

}  // namespace cenic
